import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { flag } from '../args/flag.ts';
import { cursorAfter, limit } from '../args/page.ts';
import { defineMethod } from '../method.ts';
import { LockedRepositoryRecord, LockRecord } from '../records/lock.ts';

const permission = { caller: 'any', repository: 'write' } as const;
const repoid = required(entityRef, 'Repository name or id');

export const lock = defineMethod({
  name: 'lock',
  summary: 'Locks or unlocks a repository; without `locked` it only tells.',
  permission,
  lane: 'metadata',
  access: 'write',
  changes: ({ locked }) => locked !== null,
  args: {
    repoid,
    userid: optional(
      entityRef,
      null,
      'Who holds the lock; others than administrators may name only themselves',
      'the caller',
    ),
    locked: optional(flag, null, 'The state to set'),
  },
  result: LockRecord,
});

export const getLocks = defineMethod({
  name: 'get_locks',
  summary:
    'Lists the locked repositories that the caller may read, by id: all of them for administrators, their own for others.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: {
    userid: optional(
      entityRef,
      null,
      'Only those locked by this user; others than administrators may name only themselves',
      'everybody, or the caller',
    ),
    limit,
    cursor: cursorAfter('repo_id'),
  },
  result: v.array(LockedRepositoryRecord),
});

export const invalidateCache = defineMethod({
  name: 'invalidate_cache',
  summary: 'Forgets whatever is remembered of a repository and reads its newest changeset again.',
  permission,
  lane: 'storage',
  access: 'write',
  args: { repoid },
  result: v.string(),
});
