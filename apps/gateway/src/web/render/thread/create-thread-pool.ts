import { Semaphore } from '@trunkline/runtime/concurrency';
import type { RenderTask } from './render-task.ts';
import { startThread, type RenderThread } from './start-thread.ts';

export interface ThreadPoolOptions {
  readonly file: URL;
  readonly threads: number;
  /** The time limit of a task, in milliseconds; a task that takes longer ends its thread. */
  readonly taskMsMax: number;
  /**
   * The limits of a task's wait, in milliseconds, and of waiting tasks, of which one caller may have half; a task beyond
   * one of them is given up.
   */
  readonly waitMsMax: number;
  readonly waitingMax: number;
}

/** Thrown when a task gets no thread in time; the task itself may be sound. */
export class NoThreadError extends Error {
  override readonly name = 'NoThreadError';
}

export interface ThreadPool {
  /**
   * Returns the answer of a thread, or undefined when the task failed or did not end in time. Throws NoThreadError when
   * too many tasks wait, or when this one has waited too long.
   */
  run(task: RenderTask, caller: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Creates a pool of a few threads for work that may never end; threads are started when they are first needed. piscina
 * kills on a timeout and limits memory as well, but counts a thread's start and the wait in its queue as time of the
 * task: a slow start would end every task.
 */
export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const { file, threads, taskMsMax, waitMsMax, waitingMax } = options;
  const permits = new Semaphore({
    limit: threads,
    quotaPerCaller: Math.max(1, Math.floor(threads / 2)),
    queueMax: waitingMax,
    queueMaxPerCaller: Math.ceil(waitingMax / 2),
    refuse: (reason) => new NoThreadError(reason),
  });
  const all = new Set<RenderThread>();
  const idle: RenderThread[] = [];

  const take = (): RenderThread => {
    const free = idle.pop();
    if (free && !free.hasEnded()) return free;
    if (free) all.delete(free);
    const thread = startThread(file, taskMsMax);
    all.add(thread);
    return thread;
  };
  const runOnThread = async (task: RenderTask): Promise<string | undefined> => {
    const thread = take();
    const html = await thread.run(task);
    if (thread.hasEnded()) all.delete(thread);
    else idle.push(thread);
    return html;
  };

  return {
    run: (task, caller) => permits.run(() => runOnThread(task), { caller, timeoutMs: waitMsMax }),
    async close() {
      permits.close();
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}
