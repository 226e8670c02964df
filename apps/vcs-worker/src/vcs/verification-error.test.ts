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
])('tells from exit code %i and %j whether a repository is damaged', (exitCode, said, kind) => {
  expect(verificationError('git fsck', { exitCode, said }).kind).toBe(kind);
});

it('takes too much output for damage, and no other error of a command', () => {
  expect(asVerificationError(new VcsError('too-large', 'x'))).toMatchObject({ kind: 'damaged' });
  const timeout = new VcsError('timeout', 'x');
  expect(asVerificationError(timeout)).toBe(timeout);
});
