import { drizzle } from 'drizzle-orm/postgres-js';
import { rightsQuery } from './access-query.ts';
import { renderQuery } from './render-query.ts';

/** The first parameters of the function, which are those of the query, by position. */
const parameters = ['userId', 'keyId', 'sessionId', 'passwordFingerprint', 'repositoryId', 'repositoryName'];
/** The columns of the query in their order. */
const columns = {
  user_id: 'integer',
  username: 'text',
  admin: 'boolean',
  limited_to: 'text',
  usable: 'boolean',
  networks: 'text[]',
  permissions: 'text[]',
  key_reaches: 'boolean',
  repository_id: 'integer',
  repository_name: 'text',
  level: 'integer',
};

/**
 * Renders the function that reads a caller's rights by the query for calls. It stands in a migration: once that is
 * released, a changed rule needs a function of another name in a migration of its own.
 */
export function renderCallerRights(): string {
  const body = renderQuery(rightsQuery(drizzle.mock({ casing: 'snake_case' })), parameters);
  return `-- Written from apps/vcs-worker/src/authz: UPDATE_DOCS=1 npx vitest run --project unit tests/docs
-- Reads what decides on a call. It suffices if the method demands one of these permissions (null for none) and this level
-- (null for no repository), and if the caller has the networks among which a worker has looked for the caller's address.
CREATE FUNCTION "caller_rights"(
  in_user_id integer, in_key_id integer, in_session_id integer, in_fingerprint text,
  in_repository_id integer, in_repository_name text,
  in_networks text[], in_permissions text[], in_least_level integer
) RETURNS TABLE (
  ${Object.entries({ ...columns, suffices: 'boolean' })
    .map(([name, type]) => `${name} ${type}`)
    .join(',\n  ')}
) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT r.*, (
      r.usable AND num_nonnulls(in_key_id, in_session_id, in_fingerprint) > 0
      AND r.networks <@ in_networks AND in_networks <@ r.networks
      AND r.limited_to IS NULL AND r.key_reaches
      AND (r.admin OR in_permissions IS NULL OR r.permissions && in_permissions)
      AND (in_least_level IS NULL OR r.repository_id IS NOT NULL AND (r.admin OR r.level >= in_least_level))
    ) IS TRUE
    FROM (${body}) r (${Object.keys(columns).join(', ')});
END $$;`;
}
