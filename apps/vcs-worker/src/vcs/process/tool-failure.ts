import { VcsError } from '../vcs-error.ts';

/** Signals of others who end a process. Limits end it by SIGXCPU or SIGXFSZ, or as it says, and its own faults by others. */
const endings: readonly string[] = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGKILL', 'SIGTERM'];
/** What git says when somebody else has ended a command that it has started. */
const ownCommandKilled = /^error: \S+(?: \S+)? died of signal (?:1|2|3|9|15)$/m;

/** Somebody else has ended a command, such as the system for want of memory: nothing is wrong with what it read. */
export class KilledError extends VcsError {
  constructor(what: string) {
    super('busy', `killed by ${what}`);
  }
}

/** Returns the error of a command that has ended by a signal of somebody else; null for any other end. */
export function killedBy(signal: string | null): KilledError | null {
  return signal !== null && endings.includes(signal) ? new KilledError(signal) : null;
}

/** Returns whether a kept process may have been killed while it was idle, which shows at the next request. */
export function mayHaveBeenIdle(error: unknown): boolean {
  return error instanceof KilledError || (error instanceof VcsError && error.kind === 'failed');
}

const outOfMemory = /^(?:fatal: (?:inflate: )?[Oo]ut of memory|abort: out of memory|MemoryError)/m;

/** Error of a local command that has ended with another exit code than 0; -1 stands for a crash, or the end by a limit. */
export class ToolFailure extends VcsError {
  readonly exitCode: number;

  constructor(kind: 'too-large' | 'failed', message: string, exitCode: number) {
    super(kind, message);
    this.exitCode = exitCode;
  }
}

/**
 * Returns the error of a local command that failed: `too-large` when it reached the memory limit of a process, and `busy`
 * when a command that it had started was killed.
 */
export function toolFailure(what: string, stderr: string, exitCode = -1): ToolFailure | KilledError {
  if (ownCommandKilled.test(stderr)) return new KilledError(`another process: ${what}: ${stderr}`);
  return new ToolFailure(outOfMemory.test(stderr) ? 'too-large' : 'failed', `${what}: ${stderr}`, exitCode);
}

/** Returns the disk failure in the text of a tool's or system's error; null when the text has another cause. */
export function diskFailure(text: string): 'storage-full' | 'storage-read-only' | null {
  if (/No space left on device|Disk quota exceeded/.test(text)) return 'storage-full';
  return text.includes('Read-only file system') ? 'storage-read-only' : null;
}
