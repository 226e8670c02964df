import { Worker } from 'node:worker_threads';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { RenderTask } from './render-task.ts';
import type { ThreadMessage } from './thread-message.ts';

const startMsMax = 10_000;
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface RenderThread {
  /** Runs a task, one at a time; returns undefined for a failure, or for no answer in time, which ends the thread. */
  run(task: RenderTask): Promise<string | undefined>;
  hasEnded(): boolean;
  end(): Promise<void>;
}

/**
 * Starts a thread, which can be ended in the midst of a regular expression. The thread gets no environment variables.
 */
export function startThread(file: URL, taskMsMax: number): RenderThread {
  const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits });
  let ended = false;
  let settle: (message?: ThreadMessage) => void = () => {};
  // Without this listener an error would end this process; the exit event that follows the error is handled.
  worker.on('error', () => {});
  worker.on('exit', () => {
    ended = true;
    settle();
  });
  worker.on('message', (message: ThreadMessage) => settle(message));

  const end = async () => {
    ended = true;
    settle();
    await worker.terminate();
  };
  const nextMessage = async (msMax: number): Promise<ThreadMessage | undefined> => {
    if (ended) return undefined;
    const next = new Promise<ThreadMessage | undefined>((resolve) => (settle = resolve));
    const message = await withTimeout(next, msMax, () => undefined);
    if (!message) await end();
    return message;
  };
  const ready = nextMessage(startMsMax);

  return {
    async run(task) {
      if (!(await ready) || ended) return undefined;
      worker.postMessage(task);
      const message = await nextMessage(taskMsMax);
      return message?.kind === 'done' ? message.html : undefined;
    },
    hasEnded: () => ended,
    end,
  };
}
