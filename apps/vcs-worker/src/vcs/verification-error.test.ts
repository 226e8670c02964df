import { expect, it } from 'vitest';
import { asVerificationError, verificationError } from './verification-error.ts';
import { VcsError } from './vcs-error.ts';

it.each<readonly [number, string, string]>([
  [1, '', 'damaged'],
  [2, 'missing blob 12', 'damaged'],
  [128, 'fatal: loose object 12 (stored in 12) is corrupt', 'damaged'],
  [255, 'abort: index 00changelog is corrupted', 'damaged'],
  [128, 'fatal: unable to read x: Input/output error', 'damaged'],
  [-1, '', 'failed'],
  [127, 'git: not found', 'failed'],
  [128, 'fatal: Out of memory, malloc failed', 'failed'],
  [255, 'abort: out of memory', 'failed'],
  [255, 'MemoryError', 'failed'],
  [4, 'error: unable to open x: Too many open files', 'failed'],
  [128, 'fatal: unable to create threaded work: Resource temporarily unavailable', 'failed'],
  [255, 'abort: Stale file handle: /repositories/x', 'failed'],
  [255, 'abort: Permission denied: /repositories/x', 'failed'],
  [255, "abort: Permission denied: b'/repositories/x'", 'failed'],
  [255, "RuntimeError: can't start new thread", 'failed'],
  [255, 'interrupted!', 'failed'],
  [255, "OSError: [Errno 4] Interrupted system call: 'x'", 'failed'],
  [1, " x@3: unpacking 12: [Errno 24] Too many open files: 'x'", 'failed'],
  [1, ' out of memory@3: missing revlog!', 'damaged'],
  [1, ' x: out of memory: x@?: rev 0 points to nonexistent changeset 3', 'damaged'],
  [1, ' x@0: out of memory@0: unpacking 12: integrity check failed on data/x', 'damaged'],
  [1, " x@0: [Errno 2] No such file or directory: b'/repositories/a: out of memory: b'", 'damaged'],
  [1, "warning: orphan data file 'data/interrupted'", 'damaged'],
  [255, 'abort: index data/out of memory is corrupted', 'damaged'],
  [1, ' a: out of memory@0: unpacking f97: integrity check failed on data/a: out of memory:0', 'damaged'],
  [
    1,
    " a@0: broken revlog! (unknown flags in revlog data/a: out of memory)\nwarning: file 'data/': interrupted'",
    'damaged',
  ],
  [1, " warning: revlog 'data/a: out of memory.i' not in fncache!\n 0: empty or missing a: out of memory", 'damaged'],
  [255, 'abort: could not lock repository /srv/data/x: Permission denied', 'failed'],
])('tells from exit code %i and %j whether a repository is damaged', (exitCode, said, kind) => {
  expect(verificationError('git fsck', { exitCode, said }).kind).toBe(kind);
});

it('takes too much output for damage, and no other error of a command', () => {
  expect(asVerificationError(new VcsError('too-large', 'x'))).toMatchObject({ kind: 'damaged' });
  const timeout = new VcsError('timeout', 'x');
  expect(asVerificationError(timeout)).toBe(timeout);
});
