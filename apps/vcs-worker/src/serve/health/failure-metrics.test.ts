import { expect, it } from 'vitest';
import { ForeignStorageError } from '../../storage/storage-errors.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { failureReason } from './failure-metrics.ts';

const system = (code: string) => Object.assign(new Error('no'), { code });

it.each([
  [system('ENOSPC'), 'storage-full'],
  [system('EDQUOT'), 'storage-full'],
  [system('EROFS'), 'storage-read-only'],
  [
    new VcsError('remote-failed', 'git fetch ended with 128: fatal: write error: No space left on device'),
    'storage-full',
  ],
  [new VcsError('failed', "hg init ended with 255: abort: Read-only file system: '/x'"), 'storage-read-only'],
  [new ForeignStorageError('x'), 'storage-missing'],
  [new VcsError('remote-failed', 'x'), 'remote'],
  [new VcsError('remote-refused', 'x'), 'remote'],
  [new VcsError('timeout', 'x'), 'timeout'],
  [new VcsError('failed', 'x'), 'unreadable'],
  [new VcsError('not-adoptable', 'x'), 'other'],
  [new Error('x', { cause: system('ENOSPC') }), 'storage-full'],
  ['x', 'other'],
])('C8 %s has the reason %s', (error, reason) => {
  expect(failureReason(error)).toBe(reason);
});
