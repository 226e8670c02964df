import { describe, expect, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import { admin, cluster, makeUser, sql, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

interface Key {
  readonly api_key_id: number;
  readonly api_key: string;
  readonly builtin: boolean;
  readonly description: string;
  readonly created_on: string;
  readonly expires: string | null;
  readonly expired: boolean;
  readonly last_used: string | null;
}
interface Made {
  readonly msg: string;
  readonly api_key: Key;
}

const notSelf = 'userid is not the same as your user';
const invalid = 'Invalid API key';

const keysOf = ({ id }: TestUser) => admin.result<Key[]>('get_api_keys', { userid: id });
const clientOf = ({ api_key }: Key) => createClient(cluster.baseUrl, api_key);

async function makeKey({ client }: TestUser, args: Record<string, unknown> = {}): Promise<Key> {
  return (await client.result<Made>('create_api_key', args)).api_key;
}

async function builtinOf(user: TestUser): Promise<Key> {
  const found = (await keysOf(user)).find(({ builtin }) => builtin);
  if (!found) throw new Error('no built-in key');
  return found;
}

describe('create_api_key', () => {
  it('for the caller: creates a further key with the same rights, which never expires', async () => {
    const ann = await makeUser();
    expect(await ann.client.result('create_api_key')).toEqual({
      msg: `created api key for user \`${ann.username}\``,
      api_key: {
        api_key_id: expect.any(Number),
        api_key: expect.stringMatching(/^[0-9a-f]{40}$/),
        builtin: false,
        description: '',
        created_on: expect.any(String),
        expires: null,
        expired: false,
        last_used: null,
        limited_to: null,
        repositories: null,
      },
    });
    const key = await makeKey(ann, { description: 'Jenkins ☕' });
    const client = clientOf(key);
    expect(await client.result('get_user')).toMatchObject({ user_id: ann.id, api_key: ann.client.apiKey });
    await client.result('create_repo', { repo_name: uniqueName('by-key'), repo_type: 'git' });
    expect((await keysOf(ann)).map(({ description }) => description)).toEqual(['', '', 'Jenkins ☕']);
  });

  it('by an administrator: creates a key for any user', async () => {
    const ann = await makeUser();
    const { api_key } = await admin.result<Made>('create_api_key', { userid: ann.username, lifetime: '60' });
    expect(await clientOf(api_key).result('get_user')).toMatchObject({ user_id: ann.id });
  });

  it('by another user: refused, and creates no key', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    for (const userid of [ann.id, ann.username, 'admin', 'default', 'ghost']) {
      expect(await bob.client.error('create_api_key', { userid })).toBe(notSelf);
    }
    expect(await keysOf(ann)).toHaveLength(1);
  });

  it('sets the expiry `lifetime` minutes after the creation', async () => {
    const ann = await makeUser();
    for (const lifetime of [1, 60, '52560000']) {
      const { created_on, expires, expired } = await makeKey(ann, { lifetime });
      expect(expired).toBe(false);
      expect(Date.parse(`${expires}Z`) - Date.parse(`${created_on}Z`)).toBe(Number(lifetime) * 60_000);
    }
  });

  it('B5 an expired key is refused from that moment, and still listed', async () => {
    const ann = await makeUser();
    const key = await makeKey(ann, { lifetime: 1 });
    await clientOf(key).result('get_user');
    await sql`update api_keys set expires_at = now() where id = ${key.api_key_id}`;
    expect(await clientOf(key).error('get_user')).toBe(invalid);
    expect((await keysOf(ann)).find(({ api_key_id }) => api_key_id === key.api_key_id)).toMatchObject({
      expired: true,
      api_key: key.api_key,
    });
  });

  it.each([0, -2, 1.5, 52_560_001, 'soon', true])('refuses a lifetime of %j', async (lifetime) => {
    const { client } = await makeUser();
    expect(await client.error('create_api_key', { lifetime })).toMatch(/^Invalid value for `lifetime`: must be /);
  });

  it('B2 no key is in the database in plain text', async () => {
    const key = await makeKey(await makeUser());
    const [row] = await sql<{ mac: Buffer; sealed: Buffer; secret_id: string }[]>`
      select mac, sealed, secret_id from api_keys where id = ${key.api_key_id}`;
    const raw = Buffer.from(key.api_key, 'hex');
    for (const column of [row?.mac, row?.sealed]) {
      expect(column?.includes(key.api_key)).toBe(false);
      expect(column?.includes(raw)).toBe(false);
    }
    const [builtin] = await sql`select 1 from api_keys where builtin and secret_id = ${row?.secret_id ?? ''} limit 1`;
    expect(builtin).toBeDefined();
  });
});

describe('get_api_keys', () => {
  it('returns at most 100 keys when no limit is named, and further ones after a cursor', async () => {
    const user = await makeUser();
    await sql`insert into api_keys (user_id, mac, sealed, secret_id)
      select user_id, decode(md5(user_id || '-' || n), 'hex'), sealed, secret_id
      from api_keys, generate_series(1, 120) n where user_id = ${user.id} and builtin`;
    const read = async (args: object) => {
      const keys = await user.client.result<Key[]>('get_api_keys', args);
      // The use of a key is recorded some time after the call.
      return keys.map(({ last_used: _lastUsed, ...key }) => key);
    };
    const all = await read({ limit: 10_000 });
    expect(all).toHaveLength(121);
    expect(await read({})).toEqual(all.slice(0, 100));
    expect(await read({ cursor: all[99]?.api_key_id })).toEqual(all.slice(100));
    expect(await read({ limit: 2, cursor: all[0]?.api_key_id })).toEqual(all.slice(1, 3));
    expect(await user.client.error('get_api_keys', { limit: 10_001 })).toBe(
      'Invalid value for `limit`: must be a whole number from 1 to 10000',
    );
  });

  it('lists the built-in key first, to the user and to administrators, also those of an inactive user', async () => {
    const ann = await makeUser();
    const made = await makeKey(ann);
    const expected = [{ builtin: true, api_key: ann.client.apiKey, expires: null, expired: false }, made];
    expect(await ann.client.result('get_api_keys')).toMatchObject(expected);
    await admin.result('update_user', { userid: ann.id, active: false });
    expect(await keysOf(ann)).toMatchObject(expected);
  });

  it('B1 others: refused', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    for (const userid of [ann.id, ann.username, 'admin', 'default', 'ghost']) {
      expect(await bob.client.error('get_api_keys', { userid })).toBe(notSelf);
    }
  });

  it('refuses an unknown user', async () => {
    expect(await admin.error('get_api_keys', { userid: 'ghost' })).toBe('user `ghost` does not exist');
  });
});

describe('revoke_api_key', () => {
  it('B5 by the user or an administrator: the key is refused at once', async () => {
    const ann = await makeUser();
    for (const [by, args] of [
      [ann.client, {}],
      [admin, { userid: ann.username }],
    ] as const) {
      const key = await makeKey(ann);
      await clientOf(key).result('get_user');
      expect(await by.result('revoke_api_key', { api_key_id: String(key.api_key_id), ...args })).toEqual({
        success: true,
        msg: `revoked api key \`${key.api_key_id}\` of user \`${ann.username}\``,
      });
      expect(await clientOf(key).error('get_user')).toBe(invalid);
    }
    expect(await keysOf(ann)).toHaveLength(1);
    await ann.client.result('get_user');
  });

  it('a key can revoke itself', async () => {
    const key = await makeKey(await makeUser());
    await clientOf(key).result('revoke_api_key', { api_key_id: key.api_key_id });
    expect(await clientOf(key).error('get_user')).toBe(invalid);
  });

  it('refuses to revoke the built-in key', async () => {
    const ann = await makeUser();
    const { api_key_id } = await builtinOf(ann);
    const text = `the built-in api key of user \`${ann.username}\` can only be reset`;
    expect(await ann.client.error('revoke_api_key', { api_key_id })).toBe(text);
    expect(await admin.error('revoke_api_key', { api_key_id, userid: ann.id })).toBe(text);
    await ann.client.result('get_user');
  });

  it('B1 another user’s key, built-in or not, is answered like one that does not exist, and stays', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    const key = await makeKey(ann);
    for (const api_key_id of [key.api_key_id, (await builtinOf(ann)).api_key_id, 2 ** 31 - 1, 0]) {
      expect(await bob.client.result('revoke_api_key', { api_key_id })).toEqual({
        success: false,
        msg: `user \`${bob.username}\` has no api key \`${api_key_id}\``,
      });
      // Administrators receive the same answer when they name the wrong user.
      expect(await admin.result('revoke_api_key', { api_key_id, userid: bob.id })).toMatchObject({ success: false });
    }
    expect(await bob.client.error('revoke_api_key', { api_key_id: key.api_key_id, userid: ann.id })).toBe(notSelf);
    await clientOf(key).result('get_user');
    await ann.client.result('get_user');
  });
});

describe('reset_api_key', () => {
  it('B5 replaces the built-in key: the old one is refused at once, further keys stay valid', async () => {
    const ann = await makeUser();
    const key = await makeKey(ann);
    const old = await builtinOf(ann);
    const { msg, api_key } = await ann.client.result<Made>('reset_api_key');
    expect(msg).toBe(`reset api key of user \`${ann.username}\``);
    expect(api_key).toMatchObject({ builtin: true, description: '', expires: null, last_used: null });
    expect(api_key.api_key).not.toBe(old.api_key);
    expect(await ann.client.error('get_user')).toBe(invalid);
    expect(await clientOf(api_key).result('get_user')).toMatchObject({ api_key: api_key.api_key });
    await clientOf(key).result('get_user');
    expect((await keysOf(ann)).filter(({ builtin }) => builtin)).toMatchObject([{ api_key: api_key.api_key }]);
  });

  it('B5 gives the new key another id, so that a gateway that still caches the old one cannot use it', async () => {
    const ann = await makeUser();
    await ann.client.result('get_user');
    const old = await builtinOf(ann);
    const { api_key } = await admin.result<Made>('reset_api_key', { userid: ann.username });
    expect(api_key.api_key_id).not.toBe(old.api_key_id);
    expect(await ann.client.error('get_user')).toBe(invalid);
  });

  it('concurrent calls leave one key, that of one of them', async () => {
    const ann = await makeUser();
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => admin.result<Made>('reset_api_key', { userid: ann.id })),
    );
    const keys = replies.map(({ api_key }) => api_key.api_key);
    const [only, ...rest] = await keysOf(ann);
    expect(rest).toEqual([]);
    expect(keys).toContain(only?.api_key);
  });

  it('is refused for another user', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()];
    expect(await bob.client.error('reset_api_key', { userid: ann.id })).toBe(notSelf);
    await ann.client.result('get_user');
  });
});

describe('keys of `default` and of unknown users', () => {
  it.each(['create_api_key', 'reset_api_key', 'revoke_api_key'])('%s', async (method) => {
    const args = { api_key_id: 1 };
    expect(await admin.error(method, { ...args, userid: 'default' })).toBe('editing default user is forbidden');
    expect(await admin.error(method, { ...args, userid: 'ghost' })).toBe('user `ghost` does not exist');
  });
});

describe('last_used', () => {
  it('is updated at most once a minute', async () => {
    const ann = await makeUser();
    const [kept, outdated, unused] = [await makeKey(ann), await makeKey(ann), await makeKey(ann)];
    await sql`update api_keys set last_used_at = now() - interval '50 seconds' where id = ${kept.api_key_id}`;
    await sql`update api_keys set last_used_at = now() - interval '61 seconds' where id = ${outdated.api_key_id}`;
    const before = await ann.client.result<Key[]>('get_api_keys');
    const lastUse = (keys: Key[], { api_key_id }: Key) => keys.find((key) => key.api_key_id === api_key_id)?.last_used;

    await clientOf(kept).result('get_user');
    await clientOf(outdated).result('get_user');
    const after = await eventually(
      () => ann.client.result<Key[]>('get_api_keys'),
      (keys) => lastUse(keys, outdated) !== lastUse(before, outdated),
    );
    expect(Date.now() - Date.parse(`${lastUse(after, outdated)}Z`)).toBeLessThan(30_000);
    expect(lastUse(after, kept)).toBe(lastUse(before, kept));
    expect(lastUse(after, unused)).toBeNull();
  });
});
