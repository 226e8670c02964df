import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';

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
