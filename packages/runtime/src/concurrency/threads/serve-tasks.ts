import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from './lower-thread-priority.ts';
import type { ThreadMessage } from './thread-message.ts';

/** Runs the tasks of this thread, which a pool has started, one after the other. */
export function serveTasks(run: (task: never) => unknown): void {
  const answer = (task: never): ThreadMessage<unknown> => {
    try {
      return { kind: 'done', result: run(task) };
    } catch {
      // For example, the stack or the maximum string length was exceeded.
      return { kind: 'failed' };
    }
  };
  lowerThreadPriority();
  parentPort?.on('message', (task: unknown) => parentPort?.postMessage(answer(task as never)));
  parentPort?.postMessage({ kind: 'ready' } satisfies ThreadMessage<unknown>);
}
