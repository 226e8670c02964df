import { createHash } from 'node:crypto';
import { RefusedError } from '../../errors.ts';
import type { SourceDatabase } from './source-database.ts';
import { readPermissionNames } from './read-grants.ts';
import { readRepoGroups, readUserGroups } from './read-groups.ts';
import { readRepositories } from './read-repositories.ts';
import { readUsers } from './read-users.ts';
import type { LevelRule, Source } from './source.ts';

/** Tables of what has no counterpart here, by what the report calls it. */
const leftOut = {
  'comments on changesets': 'changeset_comments',
  'pull requests': 'pull_requests',
  gists: 'gists',
  notifications: 'notifications',
  'fields of repositories': 'repositories_fields',
  'SSH keys': 'user_ssh_keys',
  'entries of the activity': 'user_logs',
} as const;

async function countLeftOut(source: SourceDatabase): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [what, table] of Object.entries(leftOut)) {
    const isThere = (await source.columns(table)).length > 0;
    const { rows } = isThere ? await source.size(table, []) : { rows: 0 };
    if (rows > 0) counts[what] = rows;
  }
  return counts;
}

/** Releases since Kallithea 0.4 take the best of all rows; they have dropped the column that turned `default` off. */
async function ruleOf(source: SourceDatabase): Promise<LevelRule> {
  const columns = await source.columns('users');
  return columns.includes('inherit_default_permissions') ? 'user row first' : 'best';
}

/** Reads all that an import needs; `zone` is the time zone of the server on which the other program ran. */
export async function readSource(database: SourceDatabase, kind: string, zone: string): Promise<Source> {
  const names = await readPermissionNames(database);
  const users = await readUsers(database, names, zone);
  const everyone = users.find(({ username }) => username === 'default');
  if (!everyone) throw new RefusedError('the database has no user `default`: it is no database of this kind');
  // The key of `default` is random, and nothing uses it.
  const identity = `${kind} ${everyone.id} ${everyone.apiKey ?? everyone.createdAt?.toISOString() ?? ''}`;
  return {
    id: `${kind} ${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`,
    rule: await ruleOf(database),
    countsInactive: kind === 'rhodecode',
    users,
    defaultUserId: everyone.id,
    userGroups: await readUserGroups(database, names, zone),
    repoGroups: await readRepoGroups(database, names, zone),
    repositories: await readRepositories(database, names, zone),
    notBrought: await countLeftOut(database),
  };
}
