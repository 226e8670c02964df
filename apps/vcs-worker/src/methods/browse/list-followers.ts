import { requireRepository } from '../../authz/repository/require-repository.ts';
import { cutPage } from '../../serve/lists/cut-page.ts';
import { pageOfFollowers } from '../../domain/repo/member-page-store.ts';
import type { MethodHandler } from '../context.ts';

export const listFollowers: MethodHandler<'list_followers'> = async ({ repoid, limit, cursor }, { db, access }) => {
  const { id } = requireRepository(access, repoid);
  const rows = await pageOfFollowers(db, id, { limit: limit + 1, after: cursor ?? 0 });
  const { shown, next } = cutPage(rows, limit, (row) => String(row.id));
  return { followers: shown.map(({ username, firstname, lastname }) => ({ username, firstname, lastname })), next };
};
