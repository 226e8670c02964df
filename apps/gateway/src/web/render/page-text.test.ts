import { expect, it } from 'vitest';
import { pageText } from './page-text.ts';

it.each([
  ['Invalid value for `clone_uri`: must not hold a query', 'URL of the remote repository: must not hold a query'],
  ['Invalid value for `new_password`: must be at least 8 characters', 'New password: must be at least 8 characters'],
  ['Invalid value for `constructor`: is odd', 'Constructor: is odd'],
  ['Missing non optional `repo_name` arg in JSON DATA', 'Name is required'],
  ['Only admin can specify `owner` param', 'Only administrators can choose the owner'],
  ['userid is not the same as your user', 'You may do this only for yourself'],
  [
    'The outcome of operation 1-2 is not known yet, ask get_operation',
    'The outcome of operation 1-2 is not known yet: check again later',
  ],
  ['failed to get repo: `a/b` refs', 'This repository cannot be read now'],
  ['failed to get repo: `a/b` changesets, ask for fewer with `limit`', 'This is too large to be shown'],
  ['failed to update user `7`', 'The user could not be updated'],
  ['failed to delete repo group ID:3 a/b', 'The repository group could not be deleted'],
  ['failed to update user group `makers`', 'The user group could not be updated'],
  ['repo `a/b` already exist', 'repository `a/b` already exists'],
  ['email `ann@example.com` already exist', 'email `ann@example.com` already exists'],
  ['Cannot delete `a` it still contains attached forks', '`a` has forks: choose what to do with them'],
  ['user `ann` does not exist', 'user `ann` does not exist'],
  ['Service is busy, try again later', 'Service is busy, try again later'],
  ['failed to create repository `a`: the remote is closed', 'failed to create repository `a`: the remote is closed'],
])('shows %j as %j', (text, shown) => {
  expect(pageText(text)).toBe(shown);
});

it('rewrites a hostile text of many repetitions in time', () => {
  for (const start of ['repo `', 'failed to get repo: `', 'failed to update user ', 'Invalid value for `a`: ']) {
    expect(pageText(start + ' `a` already exis'.repeat(20_000))).toBeTypeOf('string');
  }
});
