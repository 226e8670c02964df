import * as v from 'valibot';
import { RepositoryWithChangesetRecord } from '../records/repository.ts';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag } from '../args/schemas.ts';
import { cursorAfter, limit } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';

/** Spec 2.5: the state of a repository's lock; `locked_since` in seconds since 1970. */
const LockRecord = v.strictObject({
  repo: v.string(),
  locked: v.boolean(),
  locked_since: v.nullable(v.number()),
  locked_by: v.nullable(v.string()),
  msg: v.string(),
});

/** A locked repository; `locked_date` in seconds since 1970. */
const LockedRepositoryRecord = v.strictObject({
  ...RepositoryWithChangesetRecord.entries,
  locked_by: v.string(),
  locked_date: v.number(),
});

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
