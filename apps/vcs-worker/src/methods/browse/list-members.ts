import { requireRepository } from '../../authz/repository/require-repository.ts';
import { pageOfUserGroups, pageOfUsers } from '../../domain/repo/member-page-store.ts';
import { readMemberPage } from '../../domain/repo/member-page.ts';
import type { MethodHandler } from '../context.ts';

export const listMembers: MethodHandler<'list_members'> = async ({ repoid, ...page }, { db, access }) => {
  const { id } = requireRepository(access, repoid);
  return readMemberPage('repository', page, {
    users: (part) => pageOfUsers(db, id, part),
    groups: (part) => pageOfUserGroups(db, id, part),
  });
};
