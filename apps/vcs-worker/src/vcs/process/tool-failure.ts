import { VcsError } from '../vcs-error.ts';

const outOfMemory = /^(?:fatal: (?:inflate: )?[Oo]ut of memory|abort: out of memory|MemoryError)/m;

/** Error of a local command that has ended with another exit code than 0; -1 stands for the end by a signal. */
export class ToolFailure extends VcsError {
  readonly exitCode: number;

  constructor(kind: 'too-large' | 'failed', message: string, exitCode: number) {
    super(kind, message);
    this.exitCode = exitCode;
  }
}

/** Returns the error of a local command that failed: `too-large` when it reached the memory limit of a process. */
export function toolFailure(what: string, stderr: string, exitCode = -1): ToolFailure {
  return new ToolFailure(outOfMemory.test(stderr) ? 'too-large' : 'failed', `${what}: ${stderr}`, exitCode);
}
