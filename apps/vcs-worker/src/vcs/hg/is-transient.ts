import { writeLockName } from '../process/acquire-write-lock.ts';

const locks = new Set(['.hg/wlock', '.hg/store/lock', `.hg/${writeLockName}`]);
/** Files by which Mercurial finds out what a file system can do; some are symbolic links. */
const probes = /^\.hg\/w?cache\/check/;

/** Mercurial's locks are symbolic links that lead nowhere. */
export function isTransientInHg(path: string): boolean {
  return locks.has(path) || probes.test(path);
}
