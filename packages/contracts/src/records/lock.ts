import * as v from 'valibot';
import { RepositoryWithChangesetRecord } from './repository.ts';

/** Spec 2.5: the state of a repository's lock; `locked_since` in seconds since 1970. */
export const LockRecord = v.strictObject({
  repo: v.string(),
  locked: v.boolean(),
  locked_since: v.nullable(v.number()),
  locked_by: v.nullable(v.string()),
  msg: v.string(),
});

/** A locked repository; `locked_date` in seconds since 1970. */
export const LockedRepositoryRecord = v.strictObject({
  ...RepositoryWithChangesetRecord.entries,
  locked_by: v.string(),
  locked_date: v.number(),
});
