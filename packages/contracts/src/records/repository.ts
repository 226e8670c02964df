import * as v from 'valibot';
import { EmbeddedUserRecord } from './user.ts';
import { timestamp } from './parts.ts';

export const ChangesetRecord = v.strictObject({
  short_id: v.pipe(v.string(), v.regex(/^[0-9a-f]{12}$/)),
  raw_id: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/)),
  revision: v.number(),
  message: v.string(),
  date: timestamp,
  author: v.string(),
});
export type ChangesetRecord = v.InferOutput<typeof ChangesetRecord>;

/** A changeset as lists show it. */
export const BriefChangeset = v.strictObject({
  short_id: v.string(),
  raw_id: v.string(),
  /** First line of the changeset's message. */
  message: v.string(),
  author: v.string(),
  date: timestamp,
});
export type BriefChangeset = v.InferOutput<typeof BriefChangeset>;

const repositoryFields = {
  repo_id: v.number(),
  repo_name: v.string(),
  repo_type: v.picklist(['hg', 'git']),
  clone_uri: v.nullable(v.string()),
  private: v.boolean(),
  created_on: timestamp,
  description: v.string(),
  landing_rev: v.string(),
  owner: v.string(),
  fork_of: v.nullable(v.string()),
  enable_downloads: v.boolean(),
  enable_locking: v.boolean(),
  enable_statistics: v.boolean(),
};

/** Spec 2.4: the base fields of a repository. */
export const RepositoryRecord = v.strictObject(repositoryFields);
export type RepositoryRecord = v.InferOutput<typeof RepositoryRecord>;

/** The base fields and the newest changeset, which is read from a column of the database, not from the repository. */
export const RepositoryWithChangesetRecord = v.strictObject({ ...repositoryFields, last_changeset: ChangesetRecord });
export type RepositoryWithChangesetRecord = v.InferOutput<typeof RepositoryWithChangesetRecord>;

const permission = v.picklist(['repository.none', 'repository.read', 'repository.write', 'repository.admin']);

export const UserMemberRecord = v.strictObject({
  ...EmbeddedUserRecord.entries,
  type: v.literal('user'),
  permission,
});

export const UserGroupMemberRecord = v.strictObject({
  type: v.literal('users_group'),
  id: v.number(),
  name: v.string(),
  users_group_id: v.number(),
  group_name: v.string(),
  active: v.boolean(),
  permission,
});

export const RepositoryDetailsRecord = v.strictObject({
  ...RepositoryWithChangesetRecord.entries,
  members: v.array(v.union([UserMemberRecord, UserGroupMemberRecord])),
  followers: v.array(EmbeddedUserRecord),
  /** URL for clients of git or Mercurial, without a login; absent in answers to gateways of earlier releases. */
  clone_url: v.optional(v.string()),
  /** Branch that clients of git check out, for git alone; null while unknown. */
  default_branch: v.optional(v.nullable(v.string())),
  /** Bytes on the disk after the last operation, for administrators alone; null while unknown. */
  size_bytes: v.optional(v.nullable(v.number())),
  /** Name of the storage that has the bytes, for administrators alone. */
  storage: v.optional(v.string()),
});
export type RepositoryDetailsRecord = v.InferOutput<typeof RepositoryDetailsRecord>;

/** A file or directory; `name` is the full path from the repository's root. */
export const NodeRecord = v.strictObject({ name: v.string(), type: v.picklist(['file', 'dir']) });
