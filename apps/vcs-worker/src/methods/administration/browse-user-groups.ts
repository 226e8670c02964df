import { caselessPattern } from '../../domain/repo/caseless-pattern.ts';
import { requireUser } from '../../domain/user/user-store.ts';
import { listListedUserGroups } from '../../domain/groups/user-group-list-store.ts';
import type { MethodHandler } from '../context.ts';
import { cutPage } from '../../serve/lists/cut-page.ts';

export const browseUserGroups: MethodHandler<'browse_user_groups'> = async (
  { filter, userid, limit, cursor },
  { db },
) => {
  const member = userid && (await requireUser(db, userid));
  const wanted = { pattern: filter === null ? null : caselessPattern(filter), memberId: member && member.id };
  const rows = await listListedUserGroups(db, wanted, { limit: limit + 1, cursor });
  const { shown, next } = cutPage(rows, limit, ({ group_name: name }) => name);
  return { groups: shown, next };
};
