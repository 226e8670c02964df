import type { RenderTask } from './render-task.ts';
import { startThread, type RenderThread } from './start-thread.ts';

export interface ThreadPoolOptions {
  readonly file: URL;
  readonly threads: number;
  /** A task that takes longer ends its thread. */
  readonly taskMsMax: number;
  /** A task that waits longer, or finds so many waiting, is given up. */
  readonly waitMsMax: number;
  readonly waitingMax: number;
}

export interface ThreadPool {
  /** The answer of a thread, or undefined when there was none in time. Never throws. */
  run(task: RenderTask): Promise<string | undefined>;
  close(): Promise<void>;
}

interface Job {
  readonly task: RenderTask;
  readonly settle: (html: string | undefined) => void;
}

interface Slot {
  thread: RenderThread | undefined;
  isBusy: boolean;
}

/** A few threads for work that may never end. They start when they are first needed. */
export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const slots: Slot[] = Array.from({ length: options.threads }, () => ({ thread: undefined, isBusy: false }));
  const waiting = new Set<Job>();
  let isClosed = false;

  function nextJob(): Job | undefined {
    const [job] = waiting;
    if (job) waiting.delete(job);
    return job;
  }

  async function work(slot: Slot): Promise<void> {
    slot.isBusy = true;
    for (let job = nextJob(); job; job = nextJob()) {
      if (!slot.thread || slot.thread.hasEnded()) slot.thread = startThread(options.file, options.taskMsMax);
      job.settle(await slot.thread.run(job.task));
    }
    slot.isBusy = false;
  }

  return {
    run(task) {
      if (isClosed || waiting.size >= options.waitingMax) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const job = { task, settle: resolve };
        setTimeout(() => waiting.delete(job) && resolve(undefined), options.waitMsMax).unref();
        waiting.add(job);
        const idle = slots.find(({ isBusy }) => !isBusy);
        if (idle) void work(idle);
      });
    },
    async close() {
      isClosed = true;
      for (const job of waiting) job.settle(undefined);
      waiting.clear();
      await Promise.all(slots.flatMap(({ thread }) => thread?.end() ?? []));
    },
  };
}
