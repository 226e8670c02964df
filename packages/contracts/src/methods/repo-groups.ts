import * as v from 'valibot';
import { UserGroupMemberRecord, UserMemberRecord } from '../records/repository.ts';
import { StoredSize, timestamp } from '../records/parts.ts';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, nameText, text } from '../args/schemas.ts';
import { cursorAfter, limit } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';

/** Repository group; `repositories` names the repositories and groups directly in it that the caller may read. */
export const RepoGroupRecord = v.strictObject({
  group_id: v.number(),
  group_name: v.string(),
  group_description: v.string(),
  parent_group: v.nullable(v.string()),
  repositories: v.array(v.string()),
  owner: v.string(),
  created_on: timestamp,
});
export type RepoGroupRecord = v.InferOutput<typeof RepoGroupRecord>;

const permission = v.picklist(['group.none', 'group.read', 'group.write', 'group.admin']);

const RepoGroupWithMembersRecord = v.strictObject({
  ...RepoGroupRecord.entries,
  /** Of the repositories in the group and its subgroups; for administrators. */
  ...v.partial(StoredSize).entries,
  members: v.array(
    v.union([
      v.strictObject({ ...UserMemberRecord.entries, permission }),
      v.strictObject({ ...UserGroupMemberRecord.entries, permission }),
    ]),
  ),
});

const repogroupid = required(entityRef, 'Repository group name or id');

export const getRepoGroup = defineMethod({
  name: 'get_repo_group',
  summary:
    'Returns one repository group with its members, and to administrators the bytes of all repositories in it; null when it does not exist.',
  permission: { caller: 'any', repoGroup: 'read' },
  lane: 'metadata',
  access: 'read',
  args: { repogroupid },
  result: v.nullable(RepoGroupWithMembersRecord),
});

export const getRepoGroups = defineMethod({
  name: 'get_repo_groups',
  summary: 'Lists the repository groups that the caller can read, by id, without members.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { limit, cursor: cursorAfter('group_id') },
  result: v.array(RepoGroupRecord),
});

export const createRepoGroup = defineMethod({
  name: 'create_repo_group',
  summary: 'Creates a repository group in an existing group or at the top level.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: {
    group_name: required(nameText, 'Full name, or the name below `parent`'),
    description: optional(text(10_000), '', 'Description'),
    owner: optional(entityRef, null, 'Username or user id', 'the caller'),
    parent: optional(entityRef, null, 'Parent group (id or name), below which `group_name` is taken'),
    copy_permissions: optional(flag, false, 'Whether the levels are copied from the parent group'),
  },
  result: v.strictObject({ msg: v.string(), repo_group: RepoGroupRecord }),
});

export const updateRepoGroup = defineMethod({
  name: 'update_repo_group',
  summary:
    'Updates a repository group; absent arguments change nothing. A new name or parent also changes the names of everything below it.',
  permission: { caller: 'any', repoGroup: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: {
    repogroupid,
    group_name: optional(nameText, null, 'New last segment of the name'),
    description: optional(text(10_000), null, 'Description'),
    owner: optional(entityRef, null, 'Username or user id; administrators only'),
    parent: optional(entityRef, null, 'New parent group (id or name); empty for the top level'),
    enable_locking: optional(flag, null, 'Stored and returned, without effect'),
  },
  result: v.strictObject({ msg: v.string(), repo_group: RepoGroupRecord }),
});

export const deleteRepoGroup = defineMethod({
  name: 'delete_repo_group',
  summary: 'Deletes an empty repository group.',
  permission: { caller: 'any', repoGroup: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: { repogroupid },
  result: v.strictObject({ msg: v.string(), repo_group: v.null() }),
});
