import { createHash } from 'node:crypto';
import { RefusedError } from '../../errors.ts';
import { isPostgresUrl, withPostgres } from './open-postgres.ts';
import { withSqlite } from './open-sqlite.ts';
import type { SourceDatabase } from './read-table.ts';
import { readPermissionNames } from './read-grants.ts';
import { readRepoGroups, readUserGroups } from './read-groups.ts';
import { readRepositories } from './read-repositories.ts';
import { readUsers } from './read-users.ts';
import type { LevelRule, Source } from './source.ts';

/** Limits of what is read in all, since it is kept in memory. */
const readMax = { rows: 4_000_000, bytes: 2 ** 29 };

/** Refuses a table before the rows that have been read and its own are too many, or too large. */
export function limitReads(source: SourceDatabase, max = readMax): SourceDatabase {
  const read = { rows: 0, bytes: 0 };
  return {
    ...source,
    async rows(table, columns) {
      const size = await source.size(table, columns);
      for (const unit of ['rows', 'bytes'] as const) {
        read[unit] += size[unit];
        if (read[unit] > max[unit])
          throw new RefusedError(`with the table \`${table}\`, more than ${max[unit]} ${unit} are to be read`);
      }
      return source.rows(table, columns);
    },
  };
}

/** Runs `act` with the database of the other program: a URL of Postgres, or the path of an SQLite file. */
export function withSource<T>(database: string, act: (source: SourceDatabase) => Promise<T>): Promise<T> {
  const limited = (source: SourceDatabase) => act(limitReads(source));
  if (isPostgresUrl(database)) return withPostgres(database, limited);
  // SQLAlchemy's URL of a file has three slashes before a relative path, and four before an absolute one.
  return withSqlite(database.replace(/^sqlite:\/\/\//, ''), limited);
}

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
