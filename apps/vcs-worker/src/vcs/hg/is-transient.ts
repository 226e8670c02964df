import { clockName } from '../../storage/durable.ts';
import { writeLockName } from '../process/acquire-write-lock.ts';

const transient = new Set(['.hg/wlock', '.hg/store/lock', `.hg/${writeLockName}`, `.hg/${clockName}`]);
/** Files by which Mercurial finds out what a file system can do; some are symbolic links. */
const probes = /^\.hg\/w?cache\/check/;

/** Mercurial's locks are symbolic links that lead nowhere. */
export function isTransientInHg(path: string): boolean {
  return transient.has(path) || probes.test(path);
}
