import { VcsError } from './vcs-error.ts';

/**
 * What git and Mercurial say when a process gets no memory, file descriptor, thread or permission, or when a file system
 * is away or full. A file system that is not away says "Input/output error" of a disk that has lost something.
 */
const lacks = [
  'out of memory',
  'memoryerror',
  'cannot allocate memory',
  'too many open files',
  'resource temporarily unavailable',
  'unable to create thread',
  "can't start new thread",
  'cannot fork',
  'interrupted(?: system call)?',
  'permission denied',
  'operation not permitted',
  'no space left on device',
  'disk quota exceeded',
  'read-only file system',
  'stale (?:nfs )?file handle',
  'transport endpoint is not connected',
  'host is down',
  'connection timed out',
].join('|');
/** The texts where an error has its own words: at its beginning or after a colon, and up to punctuation or its end. */
const notChecked = new RegExp(`(?:^|[:\\]] )(?:${lacks})(?=$|[,:;(!])`, 'im');

/** What users have named: the file that Mercurial reports something about, its data, what it misses, and paths in quotes. */
const names = new RegExp(
  [
    String.raw`^ .*@(?:\d+|\?): `,
    String.raw`(?<=[ ('"])(?:data|meta)/.*$`,
    String.raw`(?<=empty or missing ).*$`,
    String.raw`(?<=[ (])b?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`,
  ].join('|'),
  'gm',
);

/** Exit codes of programs that were not started, and of git for an option that it does not know. */
const notStarted = new Set([126, 127, 129]);

export interface VerificationOutcome {
  readonly exitCode: number;
  /** Why the command failed, as far as it has said: the first line that is no harmless one, or the last ones. */
  readonly said: string;
}

/** Returns the error of a verification that has failed: `damaged`, or `failed` if it says nothing about the repository. */
export function verificationError(tool: 'git fsck' | 'hg verify', { exitCode, said }: VerificationOutcome): VcsError {
  const isChecked = exitCode > 0 && !notStarted.has(exitCode) && !notChecked.test(said.replaceAll(names, ''));
  return new VcsError(isChecked ? 'damaged' : 'failed', `${tool} ended with ${exitCode}: ${said}`);
}

/** Converts the error of a command that has said too much: of a whole repository, git and Mercurial say a few lines. */
export function asVerificationError(error: unknown): unknown {
  if (!(error instanceof VcsError && error.kind === 'too-large')) return error;
  return new VcsError('damaged', `too much to say: ${error.message}`, { cause: error });
}
