import { caselessPattern } from '../../domain/repo/caseless-pattern.ts';
import { listListedUsers, toListedUser } from '../../domain/user/user-list-store.ts';
import { requireUserGroup } from '../../domain/groups/user-group-store.ts';
import type { MethodHandler } from '../context.ts';
import { cutPage } from '../../serve/lists/cut-page.ts';

export const browseUsers: MethodHandler<'browse_users'> = async ({ filter, usersgroupid, limit, cursor }, { db }) => {
  const group = usersgroupid && (await requireUserGroup(db, usersgroupid));
  const wanted = { pattern: filter === null ? null : caselessPattern(filter), memberOf: group && group.id };
  const rows = await listListedUsers(db, wanted, { limit: limit + 1, cursor });
  const { shown, next } = cutPage(rows, limit, ({ username }) => username);
  return { users: shown.map(toListedUser), next };
};
