import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { admin, cluster, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';
import {
  makeCallers,
  makeRepoGroup,
  makeRepository,
  stateOf,
  stranger,
  strangers,
  subjectOf,
} from './permission-matrix.fixture.ts';
import { callers, onNeither, onRepoGroup, onRepository } from './permission-matrix.table.ts';

const denied = 'Access was denied to this resource.';

beforeAll(makeCallers);

/** Arguments that each method needs beside the repository. */
const repositoryArgs: Record<keyof typeof onRepository, () => Record<string, unknown>> = {
  compare_revisions: () => ({ from: 'tip', to: 'tip' }),
  annotate_file: () => ({ file_path: 'x' }),
  delete_repo: () => ({}),
  follow_repo: () => ({}),
  fork_repo: () => ({ fork_name: uniqueName('fork') }),
  get_changeset: () => ({ revision: 'tip' }),
  get_changesets: () => ({}),
  get_file_history: () => ({ file_path: 'x' }),
  get_repo: () => ({}),
  get_repo_diff: () => ({ from: 'tip', to: 'tip' }),
  get_repo_file: () => ({ commit_id: 'tip', file_path: 'x' }),
  get_repo_nodes: () => ({ revision: 'tip', root_path: '/' }),
  get_repo_refs: () => ({}),
  grant_user_group_permission: () => ({ usersgroupid: strangers, perm: 'repository.read' }),
  grant_user_permission: () => ({ userid: stranger.id, perm: 'repository.read' }),
  invalidate_cache: () => ({}),
  lock: () => ({ locked: true }),
  maintain_repo: () => ({}),
  move_repo: () => ({ storage: 'no-such' }),
  pull: () => ({}),
  revoke_user_group_permission: () => ({ usersgroupid: strangers }),
  revoke_user_permission: () => ({ userid: stranger.id }),
  unfollow_repo: () => ({}),
  update_repo: () => ({ description: uniqueName('changed') }),
  verify_repo: () => ({}),
};

const repoGroupArgs: Record<keyof typeof onRepoGroup, () => Record<string, unknown>> = {
  delete_repo_group: () => ({}),
  get_repo_group: () => ({}),
  grant_user_group_permission_to_repo_group: () => ({ usersgroupid: strangers, perm: 'group.read' }),
  grant_user_permission_to_repo_group: () => ({ userid: stranger.id, perm: 'group.read' }),
  revoke_user_group_permission_from_repo_group: () => ({ usersgroupid: strangers }),
  revoke_user_permission_from_repo_group: () => ({ userid: stranger.id }),
  update_repo_group: () => ({ description: uniqueName('changed') }),
};

/** Returns the table's letter for an error or a result. */
function letterOf(error: string | null, missing: string): string {
  if (error === denied) return 'D';
  return error === missing ? '-' : '+';
}

/** Makes one call by each caller, on an unchanged object; expects that a refused call has changed nothing. */
async function rowOf(
  method: string,
  make: () => Promise<string>,
  argsFor: (name: string) => Record<string, unknown>,
  missing: (name: string) => string,
): Promise<string> {
  const destroys = method.startsWith('delete_');
  let name = await make();
  let row = '';
  for (const caller of callers) {
    const before = await stateOf(name);
    const { error } = await subjectOf(caller).client.call(method, argsFor(name));
    const letter = letterOf(error, missing(name));
    const after = letter === '+' ? before : await stateOf(name);
    expect([caller, after]).toEqual([caller, before]);
    if (letter === '+' && destroys) name = await make();
    row += letter;
  }
  return row;
}

const visibilities = [
  ['public', 0],
  ['private', 1],
] as const;

describe.each(visibilities)('B7 on a %s repository', (_visibility, index) => {
  it.each(Object.keys(onRepository) as (keyof typeof onRepository)[])('%s', async (method) => {
    const row = await rowOf(
      method,
      () => makeRepository(index === 1),
      (repoid) => ({ repoid, ...repositoryArgs[method]() }),
      (repoid) => `repository \`${repoid}\` does not exist`,
    );
    expect(row).toBe(onRepository[method][index]);
  });

  it('get_repos and get_user list it for callers who may read it, with their levels', async () => {
    const name = await makeRepository(index === 1);
    const expected = { '+': 'repository.admin', w: 'repository.write', r: 'repository.read', '-': undefined };
    const ladder = { public: '+++wr-+wrrrr-w-', private: '+++wr-+wr--r-w-' }[_visibility];
    for (const [place, caller] of callers.entries()) {
      const { client } = subjectOf(caller);
      const listed = await client.result<{ repo_name: string }[]>('get_repos');
      const { permissions } = await client.result<{ permissions: { repositories: Record<string, string> } }>(
        'get_user',
      );
      const level = expected[(ladder[place] ?? '-') as keyof typeof expected];
      expect([caller, permissions.repositories[name]]).toEqual([caller, level]);
      expect([caller, listed.some((one) => one.repo_name === name)]).toEqual([caller, level !== undefined]);
    }
  });
});

describe.each(visibilities)('B7 on a %s repository group', (_visibility, index) => {
  it.each(Object.keys(onRepoGroup) as (keyof typeof onRepoGroup)[])('%s', async (method) => {
    const row = await rowOf(
      method,
      () => makeRepoGroup(index === 1),
      (repogroupid) => ({ repogroupid, ...repoGroupArgs[method]() }),
      (repogroupid) => `repository group \`${repogroupid}\` does not exist`,
    );
    expect(row).toBe(onRepoGroup[method][index]);
  });

  it('a repository is created in it only by callers with write', async () => {
    const group = await makeRepoGroup(index === 1);
    let row = '';
    for (const caller of callers) {
      const { error } = await subjectOf(caller).client.call('create_repo', {
        repo_name: `${group}/${uniqueName('made')}`,
        repo_type: 'git',
      });
      row += error === `no permission to create repo in ${group}` ? '-' : '+';
      expect(row.endsWith('+') ? error : null).toBeNull();
    }
    expect(row).toBe('++++--++-----+-');
  });
});

const others = Object.entries(onNeither);
const ofKind = (who: string) => others.filter(([, one]) => one === who).map(([method]) => method);

describe('methods that name no repository', () => {
  const args = { username: 'x-y', email: 'no address', userid: 'no-such', usersgroupid: 'no-such', args: 1 };
  const required = {
    storage: 'default',
    ...{ usergroupid: 'no-such', group_name: '', perm: 'none', ip: '192.0.2.1', operation_id: 'none' },
    ...{ repo_name: '', api_key_id: 0, id: 1 },
  };

  it.each(ofKind('administrators'))('B7 %s is refused to all but administrators', async (method) => {
    const { client } = subjectOf('explicit admin');
    const sent = { ...required, ...args, email: 'x@example.com' };
    expect(await client.error(method, sent)).toBe(denied);
  });

  it.each(ofKind('everybody, for the own user'))('B7 %s is refused for another user', async (method) => {
    const { client } = subjectOf('explicit admin');
    const sent = { ...required, email: 'x@example.com', userid: stranger.username };
    expect(await client.error(method, sent)).toBe('userid is not the same as your user');
  });

  it.each(ofKind('everybody, own objects'))('B7 %s does not find another user’s object', async (method) => {
    const [operation] = await sql`select id from operations where actor_id <> ${stranger.id} limit 1`;
    const operation_id = String(operation?.['id']);
    const { client } = await makeUser();
    expect(await client.error(method, { operation_id })).toBe(`operation \`${operation_id}\` does not exist`);
  });

  it.each(ofKind('owners of the user group'))('B7 %s finds a user group only for its owner', async (method) => {
    const owner = subjectOf('owner');
    const group_name = uniqueName('owned');
    await admin.result('create_user_group', { group_name, owner: owner.username });
    const { client } = subjectOf('explicit admin');
    expect(await client.error(method, { usersgroupid: group_name })).toBe(
      `user group \`${group_name}\` does not exist`,
    );
    await owner.client.result(method, { usersgroupid: group_name });
  });

  it.each(ofKind('everybody'))('%s is open to everybody', async (method) => {
    const { client } = await makeUser();
    const { error } = await client.call(method, { repo_name: uniqueName('made'), repo_type: 'git' });
    expect(error).toBeNull();
  });
});

describe('B1 keys of others', () => {
  it('are in no reply to a user who may read everything', async () => {
    const users = await admin.result<{ api_key: string }[]>('get_users');
    const reader = subjectOf('explicit admin');
    const repoid = await makeRepository(false);
    const repogroupid = await makeRepoGroup(false);
    const calls: [string, object][] = [
      ['get_repo', { repoid }],
      ['get_repos', {}],
      ['get_repo_group', { repogroupid }],
      ['get_repo_groups', {}],
      ['get_locks', {}],
      ['list_operations', {}],
      ['update_repo', { repoid, description: 'x' }],
      ['update_repo_group', { repogroupid, description: 'x' }],
    ];
    const client = createClient(cluster.baseUrl, reader.client.apiKey);
    const answers = await Promise.all(calls.map(([method, sent]) => client.result(method, sent)));
    const text = JSON.stringify(answers);
    const foreign = users.filter(({ api_key: key }) => key !== reader.client.apiKey);
    expect(foreign.length).toBeGreaterThan(callers.length);
    expect(foreign.filter(({ api_key: key }) => text.includes(key))).toEqual([]);
    expect(text).not.toContain('"api_key"');
  });
});
