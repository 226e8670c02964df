import { totalmem } from 'node:os';

const bytesMin = 512 * 1024 * 1024;

/** Returns the default budget of all children: a quarter of the memory of this machine or, if smaller, of its cgroup. */
export function defaultChildMemory(): number {
  // 0 or undefined without a limit, depending on the version of Node.js.
  const constrained = process.constrainedMemory() || Infinity;
  return Math.max(bytesMin, Math.floor(Math.min(totalmem(), constrained) / 4));
}
