import { expect, it } from 'vitest';
import { objectKeyOf } from './invoke.ts';

it('calls about one object share a key, and calls about none have that of their caller', () => {
  const repository = { sent: 'group/name', id: null, name: 'group/name' };
  const user = { sent: '7', id: 7, name: null };
  expect(objectKeyOf({ userid: user, repoid: repository, perm: 'x' }, 1)).toBe('repoid group/name');
  expect(objectKeyOf({ userid: user, email: 'x' }, 1)).toBe('userid 7');
  expect(objectKeyOf({ userid: null, repo_name: 'group/name' }, 1)).toBe('caller 1');
});
