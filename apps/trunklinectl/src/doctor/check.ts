import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';

/** What one check has found. */
export interface Finding {
  /** Group of the check, such as `database`. */
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'failure';
  /** One sentence: what is right, or what is wrong. */
  readonly what: string;
  /** One sentence: what to do; null when there is nothing to do. */
  readonly todo: string | null;
}

/** Findings of one group. */
export function findingsOf(check: string) {
  return {
    ok: (what: string): Finding => ({ check, level: 'ok', what, todo: null }),
    warning: (what: string, todo: string): Finding => ({ check, level: 'warning', what, todo }),
    failure: (what: string, todo: string): Finding => ({ check, level: 'failure', what, todo }),
  };
}

/** What the checks ask of this machine; tests give other answers. */
export interface Machine {
  /** The clock, in milliseconds since 1970. */
  now(): number;
  /** How many files a process may open at most; null where the system does not tell. */
  openFilesMax(): Promise<number | null>;
  /** Memory that a process may use: that of the machine or of the cgroup. */
  memoryBytes(): number;
  readonly nodeVersion: string;
}

async function readOpenFilesMax(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  // Node.js raises the soft limit to the hard one, which is the second number.
  const found = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1];
  return found === undefined ? null : Number(found);
}

export const thisMachine: Machine = {
  now: () => Date.now(),
  openFilesMax: readOpenFilesMax,
  memoryBytes: () => Math.min(totalmem(), process.constrainedMemory() || Infinity),
  nodeVersion: process.versions.node,
};
