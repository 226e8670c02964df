import { VcsError } from '../vcs-error.ts';

const outOfMemory = /^(?:fatal: (?:inflate: )?[Oo]ut of memory|abort: out of memory|MemoryError)/m;

/** Returns the error of a local command that failed: `too-large` when it reached the memory limit of a process. */
export function toolFailure(what: string, stderr: string): VcsError {
  return new VcsError(outOfMemory.test(stderr) ? 'too-large' : 'failed', `${what}: ${stderr}`);
}
