import { writeLockName } from '../process/acquire-write-lock.ts';
import { newPackedRefs } from './remove-stale.ts';

/** A ref cannot be named `x.lock`, but it can be named `tmp_x`: that is unfinished below `objects` alone. */
export function isTransientInGit(path: string): boolean {
  if (path === writeLockName || path === newPackedRefs || path.endsWith('.lock')) return true;
  if (path.startsWith('objects/tmp_objdir-')) return true;
  return path.startsWith('objects/') && /\/(?:tmp_|incoming-)[^/]*$/.test(path);
}
