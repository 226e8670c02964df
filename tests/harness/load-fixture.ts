import type { Client } from './client.ts';
import type { Remote } from './remotes.ts';
import type { Fixture } from './load-calls.ts';

/** Creates users, user groups, and for each type a repository imported from its remote. */
export async function makeFixture(admin: Client, remotes: Readonly<Record<'hg' | 'git', Remote>>): Promise<Fixture> {
  const makeSource = async (type: 'hg' | 'git') => {
    const args = { repo_name: `source-${type}`, repo_type: type, clone_uri: remotes[type].url };
    return (await admin.result<{ repo: { repo_id: number } }>('create_repo', args)).repo.repo_id;
  };
  const sourceIds: Fixture['sourceIds'] = [await makeSource('hg'), await makeSource('git')];
  const users = ['ann', 'bob', 'cid', 'dee', 'eve', 'fay'] as const;
  for (const username of users) await admin.result('create_user', { username, email: `${username}@example.com` });
  const userGroups = ['makers', 'readers'] as const;
  for (const group_name of userGroups) await admin.result('create_user_group', { group_name });
  const sources = ['source-hg', 'source-git'] as const;
  return { users, userGroups, sources, sourceIds, pulled: sources, ids: [] };
}
