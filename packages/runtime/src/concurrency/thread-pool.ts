import { Worker } from 'node:worker_threads';
import { withTimeout } from './waits.ts';
import type { ThreadMessage } from './serve-tasks.ts';
import { Semaphore } from './semaphore.ts';
import type { RefusalReason } from './wait-queue.ts';

const startMsMax = 10_000;
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

interface TaskThread<Task, Result> {
  /** Runs a task, one at a time; returns undefined for a failure, or for no answer in time, which ends the thread. */
  run(task: Task): Promise<Result | undefined>;
  hasEnded(): boolean;
  end(): Promise<void>;
}

/**
 * Starts a thread, which can be ended in the midst of a regular expression. The thread gets no environment variables,
 * and keeps the process from ending only while a task runs.
 */
function startThread<Task, Result>(file: URL, taskMsMax: number): TaskThread<Task, Result> {
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

export interface ThreadPoolOptions {
  /** A built file, since threads run plain JavaScript, that calls `serveTasks`. */
  readonly file: URL;
  readonly threads: number;
  /** The time limit of a task, in milliseconds; a task that takes longer ends its thread. */
  readonly taskMsMax: number;
  /** The limits of a task's wait, in milliseconds, and of waiting tasks; a task beyond one of them is given up. */
  readonly waitMsMax: number;
  readonly waitingMax: number;
  /** Whether one caller gets half of the threads, but at least one, and half of the queue at most. */
  readonly isShared: boolean;
  /** Creates the error that `run` throws when a task gets no thread in time; the task itself may be sound. */
  readonly refuse: (reason: RefusalReason) => Error;
}

export interface ThreadPool<Task, Result> {
  /**
   * Returns the answer of a thread, or undefined when the task failed or did not end in time. Throws the error from
   * `refuse` when too many tasks wait, or when this one has waited too long.
   */
  run(task: Task, caller: string | null): Promise<Result | undefined>;
  close(): Promise<void>;
}

/**
 * Creates a pool of a few threads for work that may never end; threads are started when they are first needed. piscina
 * kills on a timeout and limits memory as well, but counts a thread's start and the wait in its queue as time of the
 * task: a slow start would end every task.
 */
export function createThreadPool<Task, Result>(options: ThreadPoolOptions): ThreadPool<Task, Result> {
  const { file, threads, taskMsMax, waitMsMax, waitingMax, isShared, refuse } = options;
  const permits = new Semaphore({
    limit: threads,
    queueMax: waitingMax,
    refuse,
    ...(isShared && {
      quotaPerCaller: Math.max(1, Math.floor(threads / 2)),
      queueMaxPerCaller: Math.ceil(waitingMax / 2),
    }),
  });
  const all = new Set<TaskThread<Task, Result>>();
  const idle: TaskThread<Task, Result>[] = [];

  const take = (): TaskThread<Task, Result> => {
    const free = idle.pop();
    if (free && !free.hasEnded()) return free;
    if (free) all.delete(free);
    const thread = startThread<Task, Result>(file, taskMsMax);
    all.add(thread);
    return thread;
  };
  const runOnThread = async (task: Task): Promise<Result | undefined> => {
    const thread = take();
    const result = await thread.run(task);
    if (thread.hasEnded()) all.delete(thread);
    else idle.push(thread);
    return result;
  };

  return {
    run: (task, caller) => permits.run(() => runOnThread(task), { caller, timeoutMs: waitMsMax }),
    async close() {
      permits.close();
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}
