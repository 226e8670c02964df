import { type Fields, groupById, readTable, type SourceDatabase } from './read-table.ts';
import { fromUnixTime, parseLocalTime } from './times.ts';
import { readGrants } from './read-grants.ts';
import type { SourceRepository } from './source.ts';

const columns = [
  'repo_id',
  'repo_name',
  'repo_type',
  'description',
  'user_id',
  'private',
  'statistics',
  'downloads',
  'enable_locking',
  'clone_uri',
  'landing_revision',
  'fork_id',
  'locked',
  'created_on',
];

/** The lock is `user:seconds`, and in some releases `user:seconds:reason`. */
function parseLock(text: string | null): SourceRepository['lock'] {
  const [, user, seconds] = /^(\d{1,9}):(\d+(?:\.\d+)?)(?::|$)/.exec(text ?? '') ?? [];
  const at = fromUnixTime(Number(seconds));
  return user === undefined || at === null ? null : { userId: Number(user), at };
}

/** What stands before the revision tells its kind, as in `branch:default`; `rev:` tells none. */
function parseLandingRev(text: string | null): string {
  return text?.replace(/^(?:rev:|(?:branch|book|tag):$)/, '') || 'tip';
}

function toRepository(row: Fields, zone: string): Omit<SourceRepository, 'followerIds' | 'grants'> | null {
  const id = row.id('repo_id');
  if (id === null) return null;
  return {
    id,
    name: row.text('repo_name') ?? '',
    type: row.text('repo_type') ?? '',
    description: row.text('description') ?? '',
    ownerId: row.id('user_id'),
    // Unknown is hidden.
    private: row.flag('private', true),
    enableStatistics: row.flag('statistics', false),
    enableDownloads: row.flag('downloads', false),
    enableLocking: row.flag('enable_locking', false),
    cloneUri: row.text('clone_uri') || null,
    landingRev: parseLandingRev(row.text('landing_revision')),
    forkOfId: row.id('fork_id'),
    lock: parseLock(row.text('locked')),
    createdAt: parseLocalTime(row.text('created_on'), zone),
  };
}

export async function readRepositories(
  source: SourceDatabase,
  names: ReadonlyMap<number, string>,
  zone: string,
): Promise<SourceRepository[]> {
  const rows = await readTable(source, 'repositories', columns);
  const followingColumns = ['user_id', 'follows_repository_id'];
  const followings = await readTable(source, 'user_followings', followingColumns, { optional: true });
  const followers = groupById(followings, 'follows_repository_id', (row) => row.id('user_id'));
  const grantsOf = await readGrants(source, names, {
    users: { table: 'repo_to_perm', holder: 'user_id', on: 'repository_id' },
    userGroups: { table: 'users_group_repo_to_perm', holder: 'users_group_id', on: 'repository_id' },
  });
  return rows.flatMap((row): SourceRepository[] => {
    const found = toRepository(row, zone);
    return found ? [{ ...found, followerIds: [...new Set(followers.get(found.id))], grants: grantsOf(found.id) }] : [];
  });
}
