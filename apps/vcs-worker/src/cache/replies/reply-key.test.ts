import { expect, it } from 'vitest';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { replyKey } from './reply-key.ts';

const repository: RepositoryAccess = {
  id: 1,
  uuid: 'u',
  name: 'group/lib',
  type: 'git',
  storageId: 's',
  storagePath: '@repos/aa/u',
  isFork: false,
  generation: 3,
  tipId: 'a'.repeat(40),
  tipRevision: 7,
  level: 10,
};
const args = { repoid: { id: 1, name: null, sent: 1 }, revision: 'tip', start_date: new Date(0) };
const digest = (method = 'get_changesets', sent: object = args, changed: Partial<RepositoryAccess> = {}) =>
  replyKey(method, sent, { ...repository, ...changed }).digest;

it('calls with the same method, arguments and state of the repository have one key, by whatever name and right', () => {
  expect(digest('get_changesets', { ...args, repoid: { id: null, name: 'group/lib', sent: 'group/lib' } })).toBe(
    digest(),
  );
  expect(digest('get_changesets', args, { level: 30 })).toBe(digest());
});

it('any other method, argument or state has a key of its own', () => {
  const others = [
    digest('get_changeset'),
    digest('get_changesets', { ...args, revision: 'HEAD' }),
    digest('get_changesets', { ...args, revision: null }),
    digest('get_changesets', { ...args, start_date: new Date(1) }),
    ...[
      { id: 2 },
      { uuid: 'v' },
      { name: 'lib' },
      { storageId: 't' },
      { storagePath: '@repos/aa/u.2' },
      { generation: 4 },
      { tipId: null },
    ].map((changed) => digest('get_changesets', args, changed)),
  ];
  expect(new Set([digest(), ...others]).size).toBe(others.length + 1);
});
