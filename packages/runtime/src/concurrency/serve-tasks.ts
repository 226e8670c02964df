import { getPriority, platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** A message of a thread: `ready` once, then one answer for each task. */
export type ThreadMessage<Result> = { kind: 'ready' } | { kind: 'done'; result: Result } | { kind: 'failed' };

/** Nice value of a thread that computes beside the event loop. */
const nice = 10;

/**
 * Lowers the priority of the calling thread, so that the event loop of the process goes first. Linux has a priority for
 * each thread; elsewhere this would lower that of the whole process, and does nothing. In a process that was started with
 * a lower priority the thread keeps that one, which only root could raise.
 */
export function lowerThreadPriority(system = { getPriority, platform, setPriority }): void {
  if (system.platform() === 'linux' && system.getPriority() < nice) system.setPriority(0, nice);
}

/** Runs the tasks of this thread, which a pool has started, one after the other. */
export function serveTasks(run: (task: never) => unknown): void {
  const answer = async (task: never): Promise<ThreadMessage<unknown>> => {
    try {
      return { kind: 'done', result: await run(task) };
    } catch {
      // For example, the stack or the maximum string length was exceeded.
      return { kind: 'failed' };
    }
  };
  lowerThreadPriority();
  parentPort?.on('message', (task: unknown) => {
    void answer(task as never).then((message) => parentPort?.postMessage(message));
  });
  parentPort?.postMessage({ kind: 'ready' } satisfies ThreadMessage<unknown>);
}
