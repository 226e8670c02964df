import { caselessPattern } from '../../domain/repo/caseless-pattern.ts';
import { listAdministeredGroups } from '../../domain/groups/administered-group-store.ts';
import type { MethodHandler } from '../context.ts';
import { cutPage } from '../../serve/lists/cut-page.ts';

export const browseRepoGroups: MethodHandler<'browse_repo_groups'> = async ({ filter, limit, cursor }, { db }) => {
  const pattern = filter === null ? null : caselessPattern(filter);
  const rows = await listAdministeredGroups(db, pattern, { limit: limit + 1, cursor });
  const { shown, next } = cutPage(rows, limit, ({ group_name: name }) => name);
  return { groups: shown, next };
};
