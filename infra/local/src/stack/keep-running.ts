import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningChild } from '../process/running-child.ts';

const startAttempts = 3;
const startMsMax = 20_000;
const pauseMsMin = 200;
const pauseMsMax = 10_000;
const steadyMs = 60_000;

export interface KeptProcess<T extends RunningChild> {
  /** The present process, or the last one that ran. */
  readonly current: T;
  /** Ends the process and does not start it again. */
  stop(): Promise<void>;
}

export interface KeepOptions<T extends RunningChild> {
  readonly name: string;
  /** Starts the process, on the port of `former`, the process that the new one replaces; null at the first start. */
  readonly start: (former: T | null) => Promise<T>;
  readonly say: (line: string) => void;
  /** Called when a new process has replaced one that ended. */
  readonly onReplaced: () => void;
  readonly pause?: (ms: number) => Promise<unknown>;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function pauseMs(failures: number): number {
  return Math.min(pauseMsMin * 2 ** failures, pauseMsMax);
}

/** Tries the first start up to three times, because services that it needs may be late; throws the last error. */
async function firstStart<T extends RunningChild>({ start, pause = sleep }: KeepOptions<T>): Promise<T> {
  const began = Date.now();
  for (let failures = 0; ; failures++) {
    try {
      return await start(null);
    } catch (error) {
      if (failures + 1 === startAttempts || Date.now() - began > startMsMax) throw error;
      await pause(pauseMs(failures));
    }
  }
}

/**
 * Starts a process and restarts it whenever it ends, after a pause that grows while the process ends soon after each
 * start. Throws when the first start fails.
 */
export async function keepRunning<T extends RunningChild>(options: KeepOptions<T>): Promise<KeptProcess<T>> {
  const { name, start, say, onReplaced, pause = sleep } = options;
  let current = await firstStart(options);
  let stopping = false;

  const replace = async () => {
    try {
      current = await start(current);
    } catch (error) {
      say(`${name} cannot be started again: ${messageOf(error)}`);
      return false;
    }
    try {
      if (stopping) await current.stop();
      else onReplaced();
    } catch (error) {
      // The process runs: another one beside it would take its port or its work.
      say(`${name} was started again, but that could not be recorded: ${messageOf(error)}`);
    }
    return true;
  };
  const watch = async () => {
    for (let failures = 0; ;) {
      const since = Date.now();
      const ending = await current.exited;
      if (stopping) return;
      say(`${name} ended (${ending}), starting it again`);
      if (Date.now() - since > steadyMs) failures = 0;
      do {
        await pause(pauseMs(failures++));
        if (stopping) return;
      } while (!(await replace()));
    }
  };
  void watch();

  return {
    get current() {
      return current;
    },
    stop() {
      stopping = true;
      return current.stop();
    },
  };
}
