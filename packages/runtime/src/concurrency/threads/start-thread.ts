import { Worker } from 'node:worker_threads';
import { withTimeout } from '../with-timeout.ts';
import type { ThreadMessage } from './thread-message.ts';

const startMsMax = 10_000;
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface TaskThread<Task, Result> {
  /** Runs a task, one at a time; returns undefined for a failure, or for no answer in time, which ends the thread. */
  run(task: Task): Promise<Result | undefined>;
  hasEnded(): boolean;
  end(): Promise<void>;
}

/**
 * Starts a thread, which can be ended in the midst of a regular expression. The thread gets no environment variables,
 * and keeps the process from ending only while a task runs.
 */
export function startThread<Task, Result>(file: URL, taskMsMax: number): TaskThread<Task, Result> {
  const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits });
  let ended = false;
  let settle: (message?: ThreadMessage<Result>) => void = () => {};
  // Without this listener an error would end this process; the exit event that follows the error is handled.
  worker.on('error', () => {});
  worker.on('exit', () => {
    ended = true;
    settle();
  });
  worker.on('message', (message: ThreadMessage<Result>) => settle(message));
  worker.unref();

  const end = async () => {
    ended = true;
    settle();
    await worker.terminate();
  };
  const nextMessage = async (msMax: number): Promise<ThreadMessage<Result> | undefined> => {
    if (ended) return undefined;
    const next = new Promise<ThreadMessage<Result> | undefined>((resolve) => (settle = resolve));
    const message = await withTimeout(next, msMax, () => undefined);
    if (!message) await end();
    return message;
  };
  const ready = nextMessage(startMsMax);

  return {
    async run(task) {
      worker.ref();
      try {
        if (!(await ready) || ended) return undefined;
        worker.postMessage(task);
        const message = await nextMessage(taskMsMax);
        return message?.kind === 'done' ? message.result : undefined;
      } finally {
        worker.unref();
      }
    },
    hasEnded: () => ended,
    end,
  };
}
