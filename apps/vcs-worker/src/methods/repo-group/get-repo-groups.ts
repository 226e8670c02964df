import { findRepoGroupWithLevel } from '../../authz/repo-group-level.ts';
import { toMemberRecords } from '../../domain/repo/member-store.ts';
import { sizeOfGroup } from '../../domain/repo/stored-size-store.ts';
import { repoGroupNotFound } from '../../domain/groups/repo-group-store.ts';
import { listUserGroupMembers, listUserMembers } from '../../domain/groups/repo-group-member-store.ts';
import {
  findRepoGroup,
  listReadableRepoGroups,
  repositoryNamesByGroup,
  toRepoGroupRecord,
} from '../../domain/groups/repo-group-read-store.ts';
import type { MethodHandler } from '../context.ts';
import { readList } from '../read-list.ts';

export const getRepoGroup: MethodHandler<'get_repo_group'> = async ({ repogroupid }, { db, access, vault }) => {
  const reachable = await findRepoGroupWithLevel(db, access, repogroupid, 'read');
  const group = reachable && (await findRepoGroup(db, reachable.id));
  if (!group && !access.user.admin) throw repoGroupNotFound(repogroupid);
  if (!group) return null;
  const { id } = group;
  const [names, users, groups, size] = await Promise.all([
    repositoryNamesByGroup(db, access.user.id, [id, id]),
    listUserMembers(db, id),
    listUserGroupMembers(db, id),
    access.user.admin ? sizeOfGroup(db, group.name) : null,
  ]);
  return {
    ...toRepoGroupRecord(group, names.get(id)),
    ...(size && { size_bytes: size.size_bytes, size_unknown: size.size_unknown }),
    members: toMemberRecords('group', { users, groups }, { vault, toAdmin: access.user.admin }),
  };
};

export const getRepoGroups: MethodHandler<'get_repo_groups'> = async (page, context) =>
  readList(context, page, {
    async read(tx, { user }, part) {
      const rows = await listReadableRepoGroups(tx, user.id, part);
      const [first, last] = [rows[0], rows.at(-1)];
      const names = first && last && (await repositoryNamesByGroup(tx, user.id, [first.id, last.id]));
      return rows.map((row) => ({ row, names: names?.get(row.id) }));
    },
    keyOf: ({ row }) => row.id,
    toEntry: ({ row, names }) => toRepoGroupRecord(row, names),
  });
