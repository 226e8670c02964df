import { readMemberPage } from '../../domain/repo/member-page.ts';
import { pageOfUserGroups, pageOfUsers } from '../../domain/groups/repo-group-member-page-store.ts';
import type { MethodHandler } from '../context.ts';

export const listGroupMembers: MethodHandler<'list_group_members'> = async ({ repogroupid: id, ...page }, { db }) =>
  readMemberPage('group', page, {
    users: (part) => pageOfUsers(db, id, part),
    groups: (part) => pageOfUserGroups(db, id, part),
  });
