import { describe, expect, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { admin, cluster, makeRepository, makeUser, sql, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

interface Key {
  readonly api_key_id: number;
  readonly api_key: string;
  readonly limited_to: 'fetch' | 'push' | null;
  readonly repositories: readonly { readonly repo_id: number; readonly repo_name: string }[] | null;
}

const texts = {
  fetch: 'This API key is limited to clone and fetch',
  push: 'This API key is limited to clone, fetch and push',
};
const clientOf = ({ api_key }: Key) => createClient(cluster.baseUrl, api_key);

async function makeKey({ client }: Pick<TestUser, 'client'>, args: Record<string, unknown>): Promise<Key> {
  return (await client.result<{ api_key: Key }>('create_api_key', args)).api_key;
}

async function named(key: Key, { client }: Pick<TestUser, 'client'>, userid?: number): Promise<Key['repositories']> {
  const keys = await client.result<Key[]>('get_api_keys', userid === undefined ? {} : { userid });
  return keys.find(({ api_key_id: id }) => id === key.api_key_id)?.repositories ?? null;
}

const idOf = async (repoid: string) => (await admin.result<{ repo_id: number }>('get_repo', { repoid })).repo_id;

describe('a limited key', () => {
  it('is created for all repositories or for named ones, and listed with its limits', async () => {
    const ann = await makeUser();
    const [first, second] = [await makeRepository('git'), await makeRepository('hg')];
    const ids = [await idOf(first), await idOf(second)];
    const both = [
      { repo_id: ids[0], repo_name: first },
      { repo_id: ids[1], repo_name: second },
    ];
    const keys = [
      await makeKey(ann, { limited_to: 'fetch' }),
      await makeKey(ann, { limited_to: 'push', repositories: [first, ids[1], first] }),
      await makeKey(ann, { limited_to: 'fetch', repositories: `${first}, ${ids[1]}` }),
    ];
    expect(keys.map(({ limited_to, repositories }) => [limited_to, repositories])).toEqual([
      ['fetch', null],
      ['push', both],
      ['fetch', both],
    ]);
    const [builtin, ...listed] = await ann.client.result<Key[]>('get_api_keys');
    expect(builtin).toMatchObject({ limited_to: null, repositories: null });
    expect(listed).toEqual(keys);
  });

  it('names repositories by what they are called now, to those who may read them, and no deleted ones', async () => {
    const ann = await makeUser();
    const [renamed, hidden, gone] = [
      await makeRepository('git'),
      await makeRepository('git', { private: true }),
      await makeRepository('git'),
    ];
    await admin.result('grant_user_permission', { repoid: hidden, userid: ann.username, perm: 'repository.read' });
    const key = await makeKey(ann, { limited_to: 'fetch', repositories: [renamed, hidden, gone] });
    const name = uniqueName('renamed');
    await admin.result('update_repo', { repoid: renamed, name });
    await admin.result('revoke_user_permission', { repoid: hidden, userid: ann.username });
    await admin.result('delete_repo', { repoid: gone });
    const shown = async (by: Pick<TestUser, 'client'>, userid?: number) =>
      (await named(key, by, userid))?.map(({ repo_name: one }) => one);
    expect(await shown(ann)).toEqual([name]);
    expect(await shown({ client: admin }, ann.id)).toEqual([name, hidden]);
  });

  it.each(['fetch', 'push'] as const)('B7 to `%s` calls no method, whatever its owner may do', async (limited_to) => {
    for (const owner of [await makeUser(), await makeUser({ admin: true })]) {
      const client = clientOf(await makeKey(owner, { limited_to }));
      for (const method of ['get_ip', 'get_repos', 'create_api_key', 'no_such_method', '_hidden']) {
        expect(await client.error(method)).toBe(texts[limited_to]);
      }
    }
  });

  it('B10 that is wrong for another reason is answered with that reason', async () => {
    const ann = await makeUser();
    const [revoked, expired, kept] = [
      await makeKey(ann, { limited_to: 'fetch' }),
      await makeKey(ann, { limited_to: 'fetch' }),
      await makeKey(ann, { limited_to: 'fetch' }),
    ];
    expect(await clientOf(revoked).error('get_ip')).toBe(texts.fetch);
    await ann.client.result('revoke_api_key', { api_key_id: revoked.api_key_id });
    await sql`update api_keys set expires_at = now() where id = ${expired.api_key_id}`;
    for (const key of [revoked, expired]) expect(await clientOf(key).error('get_ip')).toBe('Invalid API key');
    await admin.result('add_user_ip', { userid: ann.username, ip: '198.51.100.1' });
    expect(await clientOf(kept).error('get_ip')).toBe('request from IP:127.0.0.1 not allowed');
  });
});

describe('create_api_key', () => {
  it.each([
    [{ limited_to: 'read' }, 'Invalid value for `limited_to`: must be one of fetch, push'],
    [{ repositories: ['x'] }, 'Invalid value for `repositories`: needs `limited_to`'],
    [{ limited_to: 'fetch', repositories: [] }, 'Invalid value for `repositories`: must name 1 to 50 objects'],
    [{ limited_to: 'fetch', repositories: '' }, 'Invalid value for `repositories`: must name 1 to 50 objects'],
    [
      { limited_to: 'fetch', repositories: Array.from({ length: 51 }, (_, at) => at + 1) },
      'Invalid value for `repositories`: must name 1 to 50 objects',
    ],
  ])('refuses %j', async (args, text) => {
    const { client } = await makeUser();
    expect(await client.error('create_api_key', args)).toBe(text);
    expect(await client.result('get_api_keys')).toHaveLength(1);
  });

  it('B10 says the same of repositories that are missing and that may not be read', async () => {
    const ann = await makeUser();
    const [open, hidden] = [await makeRepository('git'), await makeRepository('git', { private: true })];
    for (const name of [hidden, uniqueName('missing'), String(await idOf(hidden)), '2147483647']) {
      expect(await ann.client.error('create_api_key', { limited_to: 'fetch', repositories: [open, name] })).toBe(
        `repository \`${name}\` does not exist`,
      );
    }
    expect(
      await admin.result('create_api_key', { userid: ann.id, limited_to: 'fetch', repositories: [hidden] }),
    ).toBeTruthy();
  });

  it('bounds how many keys of a user name repositories', async () => {
    const ann = await makeUser();
    const open = await makeRepository('git');
    await sql`insert into api_keys (user_id, mac, sealed, secret_id, limited_to, repository_ids)
      select user_id, decode(md5(user_id || '-' || n), 'hex'), sealed, secret_id, 'fetch', '{1}'
      from api_keys, generate_series(1, 499) n where user_id = ${ann.id} and builtin`;
    const args = { limited_to: 'fetch', repositories: [open] };
    const text = `user \`${ann.username}\` has 500 api keys that name repositories already`;
    const made = await Promise.all(Array.from({ length: 3 }, () => ann.client.call('create_api_key', args)));
    const refused = made.flatMap(({ error }) => error ?? []);
    expect(refused).toEqual([text, text]);
    expect(await ann.client.result('create_api_key', { limited_to: 'fetch' })).toBeTruthy();
  });

  it('E14 writes the limits to the audit log', async () => {
    const ann = await makeUser();
    const open = await makeRepository('git');
    await makeKey(ann, { limited_to: 'push', repositories: [open] });
    const [row] = await sql`select outcome, args from audit_log
      where actor_id = ${ann.id} and method = 'create_api_key'`;
    expect(row).toEqual({ outcome: 'succeeded', args: { limited_to: 'push', repositories: [open] } });
  });
});
