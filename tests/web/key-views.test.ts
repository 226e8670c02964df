import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeRemote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';
import { createWebClient, type WebAnswer } from '../harness/web-client.ts';

const unknown = 'f'.repeat(40);
const file = encodeURIComponent(someFile);
const raw = `/code/raw/tip/${file}`;
const adminPassword = 'secret of the first administrator';

const account = '/_admin/my_account/perms';

/** Views of every kind that a key opens in this cluster, each with its content type. */
const enabled = [
  ['/code/feed/rss', 'application/rss+xml; charset=utf-8'],
  ['/code/feed/atom', 'application/atom+xml; charset=utf-8'],
  ['/_admin/journal/rss', 'application/rss+xml; charset=utf-8'],
  ['/_admin/journal/atom', 'application/atom+xml; charset=utf-8'],
  ['/_admin/public_journal/rss', 'application/rss+xml; charset=utf-8'],
  ['/_admin/public_journal/atom', 'application/atom+xml; charset=utf-8'],
  ['/_admin/public_journal_rss', 'application/rss+xml; charset=utf-8'],
  ['/_admin/public_journal_atom', 'application/atom+xml; charset=utf-8'],
  [raw, 'text/plain; charset=utf-8'],
  [account, 'text/html; charset=utf-8'],
] as const;

/** Views that no key opens, some with a name similar to that of an enabled one. */
const disabled = [
  `/code/rawfile/tip/${file}`,
  '/code/archive/tip.zip',
  '/code/changeset-diff/tip',
  '/code/changeset-patch/tip',
  '/_admin/journal',
  '/_admin/public_journal',
  '/_admin/api-docs',
  '/code',
  '/',
];

let cluster: Cluster;
let admin: Client;
let ann: Client;
let everyKey: string[];

const withKey = (path: string, key: string) => `${path}?api_key=${encodeURIComponent(key)}`;
const get = (path: string, headers: Record<string, string> = {}) => createWebClient(cluster.baseUrl).get(path, headers);

async function makeUser(username: string): Promise<Client> {
  await admin.result('create_user', { username, email: `${username}@example.com` });
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: username });
  everyKey.push(key);
  return createClient(cluster.baseUrl, key);
}

async function expire(id: number): Promise<void> {
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await sql`update api_keys set expires_at = now() - interval '1 minute' where id = ${id}`;
  await sql.end();
}

/** Expects the refusal of a key: short, plain text, not cached, and without a session. */
function expectRefused({ status, headers, text }: WebAnswer, expected = 403): void {
  expect([status, headers.get('content-type')]).toEqual([expected, 'text/plain; charset=utf-8']);
  expect(text).toMatch(/^[^\n]{1,200}\n$/);
  expectKeptNowhere(headers);
}

function expectKeptNowhere(headers: Headers): void {
  expect(headers.get('set-cookie')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
}

beforeAll(async () => {
  const whitelist =
    'FilesController:raw , MyAccountController:__before__,ChangesetController:*,filescontroller:rawfile';
  const env = { TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST: whitelist, TRUNKLINE_LOG_LEVEL: 'debug' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  everyKey = [cluster.adminKey];
  ann = await makeUser('ann');
  const remote = await makeRemote.git();
  try {
    await remote.commit({ [someFile]: 'hello\n' }, 'first');
    await admin.result('create_repo', { repo_name: 'code', repo_type: 'git', clone_uri: remote.url });
    await admin.result('create_repo', { repo_name: 'secret', repo_type: 'git', clone_uri: remote.url, private: true });
  } finally {
    await remote.close();
  }
});
afterAll(async () => cluster.stop());

describe.each(enabled)('%s', (path, contentType) => {
  it('without a key redirects to the sign-in', async () => {
    const { status, headers } = await get(path);
    expect([status, headers.get('location')]).toEqual([302, `/_admin/login?came_from=${encodeURIComponent(path)}`]);
  });

  it('with a valid key is shown, and starts no session', async () => {
    const { status, headers } = await get(withKey(path, ann.apiKey));
    expect([status, headers.get('content-type')]).toEqual([200, contentType]);
    expectKeptNowhere(headers);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('with a valid key in the header is shown', async () => {
    expect((await get(path, { authorization: `Bearer ${ann.apiKey}` })).status).toBe(200);
  });

  it('HEAD with a valid key is answered without a body', async () => {
    const response = await fetch(new URL(withKey(path, ann.apiKey), cluster.baseUrl), { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it.each(['', unknown, 'x', ' ', '\0', `${unknown}0`, "' or 1=1 --"])(
    'B14 with the key %j is refused',
    async (key) => {
      expectRefused(await get(withKey(path, key)));
    },
  );
});

describe('a key', () => {
  it('B14 that has expired is refused', async () => {
    const bob = await makeUser('bob');
    const made = { description: 'short', lifetime: 5 };
    const { api_key: key } = await bob.result<{ api_key: { api_key_id: number; api_key: string } }>(
      'create_api_key',
      made,
    );
    everyKey.push(key.api_key);
    await expire(key.api_key_id);
    expectRefused(await get(withKey(raw, key.api_key)));
    expect((await get(withKey(raw, bob.apiKey))).status).toBe(200);
  });

  it('B14 of an inactive user is refused', async () => {
    const cleo = await makeUser('cleo');
    await admin.result('update_user', { userid: 'cleo', active: false });
    expectRefused(await get(withKey(raw, cleo.apiKey)));
  });

  it('B14 from an address that is not its user’s is refused', async () => {
    const dan = await makeUser('dan');
    expect((await get(withKey(raw, dan.apiKey))).status).toBe(200);
    await admin.result('add_user_ip', { userid: 'dan', ip: '192.0.2.0/24' });
    expectRefused(await get(withKey(raw, dan.apiKey)));
  });

  it.each(disabled)('B14 does not open %s, which is not enabled', async (path) => {
    expectRefused(await get(withKey(path, ann.apiKey)));
    expectRefused(await get(withKey(path, cluster.adminKey)));
  });

  it('B14 is checked before the view', async () => {
    const texts = await Promise.all([raw, `/code/rawfile/tip/${file}`].map((path) => get(withKey(path, unknown))));
    expect(texts[0]?.text).toBe(texts[1]?.text);
  });

  it('opens nothing that its user may not read, with the answer for a missing repository', async () => {
    for (const path of ['feed/rss', 'feed/atom', `raw/tip/${file}`]) {
      const [hidden, missing] = [
        await get(withKey(`/secret/${path}`, ann.apiKey)),
        await get(withKey(`/missing/${path}`, ann.apiKey)),
      ];
      expectRefused(hidden);
      expectRefused(missing);
      expect([hidden.text, missing.text]).toEqual(Array(2).fill('Access was denied to this resource.\n'));
    }
  });

  it('opens no group whose name has the word of a view', async () => {
    await admin.result('create_repo_group', { group_name: 'parts' });
    await admin.result('create_repo_group', { group_name: 'parts/raw' });
    const web = createWebClient(cluster.baseUrl);
    await web.signIn('admin', adminPassword);
    expect((await web.get('/parts/raw')).status).toBe(200);
    expectRefused(await get(withKey('/parts/raw', ann.apiKey)));
  });

  it('of an administrator gets 404 for a missing repository', async () => {
    expect((await get(withKey('/secret/feed/rss', cluster.adminKey))).status).toBe(200);
    for (const path of [
      '/code/raw/tip/none',
      `/code/raw/none/${file}`,
      `/_999999/raw/tip/${file}`,
      '/missing/feed/rss',
    ]) {
      const { status } = await get(withKey(path, cluster.adminKey));
      expect([path, status]).toEqual([path, 404]);
    }
  });

  it('in the header wins over the one in the address', async () => {
    const authorization = `Bearer ${ann.apiKey}`;
    expect((await get(withKey(raw, unknown), { authorization })).status).toBe(200);
    expectRefused(await get(withKey(raw, ann.apiKey), { authorization: `Bearer ${unknown}` }));
    expectRefused(await get(withKey(raw, ann.apiKey), { authorization: 'Bearer ' }));
  });

  it('does not authorize a form, which redirects to the sign-in', async () => {
    const path = '/_admin/my_account';
    for (const headers of [{}, { authorization: `Bearer ${ann.apiKey}` }]) {
      const { status } = await createWebClient(cluster.baseUrl).post(
        withKey(path, ann.apiKey),
        { firstname: 'Eve', api_key: ann.apiKey },
        headers,
      );
      expect(status).toBe(302);
    }
    expect(await ann.result('get_user')).toMatchObject({ firstname: null });
  });

  it('sets no cookie, not even to clear a notice', async () => {
    const cookie = 'trunkline_notice=Saved';
    const { status, headers, text } = await get(withKey('/_admin/my_account/perms', ann.apiKey), { cookie });
    expect(status).toBe(200);
    expect(text).not.toContain('Saved');
    expectKeptNowhere(headers);
  });

  it('that is invalid is refused also within a session', async () => {
    const web = createWebClient(cluster.baseUrl);
    await web.signIn('admin', adminPassword);
    expect((await web.get(raw)).status).toBe(200);
    expectRefused(await web.get(withKey(raw, unknown)));
  });

  it('takes precedence over the session of another user', async () => {
    const web = createWebClient(cluster.baseUrl);
    await web.signIn('admin', adminPassword);
    expect((await web.get('/secret/feed/rss')).status).toBe(200);
    expectRefused(await web.get(withKey('/secret/feed/rss', ann.apiKey)));
  });
});

describe('a name and a key in the header', () => {
  const basic = (login: string) => ({ authorization: `Basic ${Buffer.from(login).toString('base64')}` });
  const content = enabled.map(([path]) => path).filter((path) => path !== account);

  it.each(content)('opens %s, which a key opens', async (path) => {
    for (const name of ['ann', 'ANN', 'api-key']) {
      const { status, headers } = await get(path, basic(`${name}:${ann.apiKey}`));
      expect(status).toBe(200);
      expectKeptNowhere(headers);
    }
  });

  it.each([raw, '/code/feed/rss', '/_admin/journal/atom'])(
    'B14 that are not those of one user do not open %s',
    async (path) => {
      const { apiKey } = ann;
      const wrong = [`admin:${apiKey}`, `:${apiKey}`, apiKey, `ann:${unknown}`, 'ann:', `admin:${adminPassword}`];
      for (const login of wrong) expectRefused(await get(path, basic(login)));
    },
  );

  it.each(['/code/rawfile/tip/x', '/code/archive/tip.zip', '/code/changeset-patch/tip'])(
    'B14 do not open %s, which is not enabled',
    async (path) => expectRefused(await get(path, basic(`ann:${ann.apiKey}`))),
  );

  it.each(['/code', '/', account])('are not read for %s, a page of people', async (path) => {
    const { status, headers } = await get(path, basic(`ann:${ann.apiKey}`));
    expect([status, headers.get('location')]).toEqual([302, `/_admin/login?came_from=${encodeURIComponent(path)}`]);
  });

  it('B10 open nothing that their user may not read, with the answer for a missing repository', async () => {
    const of = (name: string) => get(`/${name}/raw/tip/${file}`, basic(`ann:${ann.apiKey}`));
    const [hidden, missing] = [await of('secret'), await of('missing')];
    expectRefused(hidden);
    expect([missing.status, missing.text]).toEqual([hidden.status, hidden.text]);
  });

  it('go behind the session of a browser, and a key in the address', async () => {
    const web = createWebClient(cluster.baseUrl);
    await web.signIn('admin', adminPassword);
    expect((await web.get('/secret/feed/rss', basic('proxy:its password'))).status).toBe(200);
    expect((await get(withKey(raw, ann.apiKey), basic('proxy:its password'))).status).toBe(200);
    expectRefused(await get(withKey(raw, unknown), basic(`ann:${ann.apiKey}`)));
  });
});

it('B14 no key is in the logs', async () => {
  await get(withKey(raw, ann.apiKey));
  await get(withKey('/missing', ann.apiKey), { referer: withKey(`${cluster.baseUrl}${raw}`, ann.apiKey) });
  await get(withKey(raw, unknown));
  const logs = await cluster.logs();
  expect(logs).toContain('FilesController:raw');
  for (const key of [...everyKey, unknown]) expect(logs).not.toContain(key);
});
