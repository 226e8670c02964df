import { OperationFailedError, UnavailableError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { VcsError, type VcsErrorKind } from '../vcs/vcs-error.ts';
import { toCheckError } from './arrival-actions.ts';

it.each<[VcsErrorKind, typeof UnavailableError | typeof OperationFailedError]>([
  ['busy', UnavailableError],
  ['timeout', UnavailableError],
  ['cancelled', UnavailableError],
  ['damaged', OperationFailedError],
  ['failed', OperationFailedError],
])('a check that ends with `%s` is told from damage', (kind, expected) => {
  const cause = new VcsError(kind, 'said by the tool');
  const error = toCheckError(cause);
  expect(error).toBeInstanceOf(expected);
  expect(error).toMatchObject({ cause });
});

it('passes on what no tool has said', () => {
  const error = new Error('of the file system');
  expect(toCheckError(error)).toBe(error);
});
