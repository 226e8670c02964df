import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { flag } from '../args/flag.ts';
import { defineOperation } from '../operation.ts';
import { LockRecord } from '../records/lock.ts';

const permission = { caller: 'any', repository: 'write' } as const;
const repoid = required(entityRef, 'Repository name or id');

export const lock = defineOperation({
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

export const invalidateCache = defineOperation({
  name: 'invalidate_cache',
  summary: 'Forgets whatever is remembered of a repository and reads its newest changeset again.',
  permission,
  lane: 'storage',
  access: 'write',
  args: { repoid },
  result: v.string(),
});
