import * as v from 'valibot';
import { UserGroupMemberRecord, UserMemberRecord } from './repository.ts';
import { StoredSize } from './stored-size.ts';
import { timestamp } from './timestamp.ts';

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

export const RepoGroupWithMembersRecord = v.strictObject({
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
