import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** A deleted repository whose bytes are still in the trash. */
export const DeletedRepositoryRecord = v.strictObject({
  repo_id: v.number(),
  /** The name that it had. */
  repo_name: v.string(),
  repo_type: v.picklist(['hg', 'git']),
  description: v.string(),
  private: v.boolean(),
  /** Null when the user is gone. */
  owner: v.nullable(v.string()),
  storage: v.string(),
  size_bytes: v.nullable(v.number()),
  /** Null when the user is gone, and for what the service has deleted by itself. */
  deleted_by: v.nullable(v.string()),
  deleted_on: timestamp,
  /** Time until which it can be restored. */
  kept_until: timestamp,
  /** Whether it is being restored. */
  restoring: v.boolean(),
});
export type DeletedRepositoryRecord = v.InferOutput<typeof DeletedRepositoryRecord>;

/** Numbers of what belonged to users and user groups that are gone. */
export const LeftOutRecord = v.strictObject({
  user_permissions: v.number(),
  user_group_permissions: v.number(),
  followers: v.number(),
});
export type LeftOutRecord = v.InferOutput<typeof LeftOutRecord>;
