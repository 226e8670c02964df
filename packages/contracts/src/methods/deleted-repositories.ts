import * as v from 'valibot';
import { timestamp } from '../records/parts.ts';
import { optional, required } from '../args/arg.ts';
import { cursorAfter, historyLimit } from '../args/shared-args.ts';
import { nameText, wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

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
  /** Of a deleted user the last name, as long as the audit log has it; null for what the service has deleted by itself. */
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

export const getDeletedRepos = defineMethod({
  name: 'get_deleted_repos',
  summary: 'Lists the deleted repositories that restore_repo can bring back, the last deleted first.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { limit: historyLimit, cursor: cursorAfter('repo_id') },
  result: v.array(DeletedRepositoryRecord),
});

export const restoreRepo = defineMethod({
  name: 'restore_repo',
  summary:
    'Brings a deleted repository back under its former id, with its content, owner, permissions, followers, settings and forks; missing repository groups are created.',
  permission: { caller: 'admin' },
  lane: 'storage',
  access: 'operation',
  args: {
    id: required(wholeNumber(1, 2 ** 31 - 1), '`repo_id` of the deleted repository'),
    name: optional(nameText, null, 'Full name for it', 'its former name'),
  },
  result: v.strictObject({
    msg: v.string(),
    success: v.literal(true),
    repo_name: v.string(),
    /** The former owner, or the caller when that user is gone. */
    owner: v.string(),
    /** Number of forks that were attached again. */
    forks: v.number(),
    left_out: LeftOutRecord,
  }),
});
