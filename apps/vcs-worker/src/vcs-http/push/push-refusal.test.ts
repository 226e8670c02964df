import { OperationFailedError, OutcomeUnknownError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { PushRefusedError } from '../../vcs/push.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { refusalOf } from './push-refusal.ts';

const textOf = (error: unknown) => refusalOf(error, 'group/name')?.message;
const withCode = (code: string) => Object.assign(new Error(`${code}: /secret/path`), { code });

it.each([
  ['ENOSPC', 'the storage is full'],
  ['EDQUOT', 'the storage is full'],
  ['EROFS', 'the storage is read-only'],
])('C8 tells a client of %s, and no path', (code, text) => {
  expect(textOf(withCode(code))).toBe(text);
});

it('tells a client what was refused, and nothing of other failures', () => {
  expect(textOf(new PushRefusedError('too large'))).toBe('too large');
  expect(textOf(new OperationFailedError('failed', { cause: new PushRefusedError('raced') }))).toBe('raced');
  expect(textOf(new OperationFailedError('failed', { cause: withCode('ENOSPC') }))).toBe('failed');
  expect(textOf(new VcsError('failed', 'fatal: /secret/path'))).toBe('the push could not be checked');
  expect(textOf(OutcomeUnknownError.of('id'))).toBeUndefined();
  expect(textOf(withCode('EIO'))).toBeUndefined();
});
