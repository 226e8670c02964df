import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag } from '../args/schemas.ts';
import { cursorAfter, limit } from '../args/page.ts';
import { defineMethod } from '../method.ts';
import { LockedRepositoryRecord, LockRecord } from '../records/lock.ts';

const permission = { caller: 'any', repository: 'write' } as const;
const repoid = required(entityRef, 'Repository name or id');

export const lock = defineMethod({
  name: 'lock',
  summary: 'Locks or unlocks a repository; without `locked`, returns only the current state.',
  permission,
  lane: 'metadata',
  access: 'write',
  changesData: ({ locked }) => locked !== null,
  args: {
    repoid,
    userid: optional(
      entityRef,
      null,
      'Holder of the lock; users other than administrators may name only themselves',
      'the caller',
    ),
    locked: optional(flag, null, '`true` to lock the repository, `false` to unlock it'),
  },
  result: LockRecord,
});

export const getLocks = defineMethod({
  name: 'get_locks',
  summary:
    'Lists the locked repositories that the caller can read, by id: all locks for administrators, only their own for other users.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: {
    userid: optional(
      entityRef,
      null,
      'Only repositories locked by this user; users other than administrators may name only themselves',
      'everybody, or the caller',
    ),
    limit,
    cursor: cursorAfter('repo_id'),
  },
  result: v.array(LockedRepositoryRecord),
});

export const invalidateCache = defineMethod({
  name: 'invalidate_cache',
  summary: 'Clears the caches of a repository and reads its newest changeset again.',
  permission,
  lane: 'storage',
  access: 'write',
  args: { repoid },
  result: v.string(),
});
