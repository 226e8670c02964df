import { drizzle } from 'drizzle-orm/postgres-js';
import { renderQuery } from '../render-query.ts';
import { groupLevelQuery } from './effective-group-level.ts';

/** Renders the function that reads a level on a repository group, as `renderCallerRights` does for repositories. */
export function renderGroupLevel(): string {
  const query = groupLevelQuery(drizzle.mock({ casing: 'snake_case' }));
  return `-- Written from apps/vcs-worker/src/authz: UPDATE_DOCS=1 npx vitest run --project unit tests/docs
CREATE FUNCTION "level_on_repo_group"(in_user_id integer, in_repo_group_id integer, in_repo_group_name text)
RETURNS TABLE (repo_group_id integer, repo_group_name text, level integer)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY ${renderQuery(query, ['userId', 'groupId', 'groupName'])};
END $$;`;
}
