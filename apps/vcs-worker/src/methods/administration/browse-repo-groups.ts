import { caselessPattern } from '../../repo/caseless-pattern.ts';
import { listAdministeredGroups } from '../../repo-group/administered-group-store.ts';
import type { MethodHandler } from '../context.ts';
import { cutPage } from '../../lists/cut-page.ts';

export const browseRepoGroups: MethodHandler<'browse_repo_groups'> = async ({ filter, limit, cursor }, { db }) => {
  const pattern = filter === null ? null : caselessPattern(filter);
  const rows = await listAdministeredGroups(db, pattern, { limit: limit + 1, cursor });
  const { shown, next } = cutPage(rows, limit, ({ group_name: name }) => name);
  return { groups: shown, next };
};
