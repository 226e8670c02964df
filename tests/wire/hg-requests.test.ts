import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../harness/raw-http.ts';
import {
  admin,
  cluster,
  makeRepository,
  makeUser,
  storagePathOf,
  uniqueName,
  type TestUser,
} from '../harness/shared-cluster.ts';
import { hg } from './vcs-cluster.ts';

const heads = 800;
const plain = 'application/mercurial-0.1';
const nullId = '0'.repeat(40);

let directory = '';
let open = '';
let hidden = '';
let many = '';
let git = '';
let ann: TestUser;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-hg-requests-'));
  ann = await makeUser();
  [open, hidden] = [await makeRepository('hg'), await makeRepository('hg', { private: true })];
  [many, git] = [await makeRepository('hg'), await makeRepository('git', { private: true })];
  const built = join(directory, 'many');
  await mkdir(built);
  await hg(built, 'init', '.');
  await hg(built, 'debugbuilddag', `.:r ${'*r '.repeat(heads)}`);
  await hg(await storagePathOf(many), 'pull', '-q', built);
}, 120_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

const withKey = () => `Basic ${Buffer.from(`${ann.username}:${ann.client.apiKey}`).toString('base64')}`;

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization?: string | null;
  readonly method?: string;
  readonly body?: string;
}

/** Sends a request; returns what of the answer depends on the request alone. */
async function ask(path: string, { headers = {}, authorization = withKey(), method = 'GET', body }: Asked = {}) {
  const sent = { ...headers, ...(authorization !== null && { authorization }) };
  const init = { method, headers: sent, redirect: 'manual' as const, ...(body !== undefined && { body }) };
  const response = await fetch(`${cluster.baseUrl}/${path}`, init);
  const own = ['date', 'x-request-id'];
  const shown = [...response.headers].filter(([name]) => !own.includes(name));
  const { status, statusText } = response;
  return { status, statusText, headers: Object.fromEntries(shown), text: await response.text() };
}

/** A command that pushes, as clients send it, but for its bundle. */
const pushing: Asked = { method: 'POST', headers: { 'content-type': 'application/mercurial-0.1' } };

/** Sends arguments as the body of a request. */
const post = (path: string, body: string, announced = String(Buffer.byteLength(body))) =>
  ask(path, { method: 'POST', body, headers: { 'x-hgargs-post': announced } });

describe('an answer', () => {
  it('B10 is the same about repositories that are missing or forbidden, whatever the system', async () => {
    const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: hidden });
    const names = [hidden, `_${id}`, 'missing', '_2147483647', `${open}.git/x`, git, `${git}.git`];
    for (const command of ['capabilities', 'getbundle', 'unbundle', 'pushkey']) {
      const sent = command === 'unbundle' || command === 'pushkey' ? pushing : {};
      const answers = await Promise.all(names.map((name) => ask(`${name}?cmd=${command}`, sent)));
      expect(answers[0]).toMatchObject({ status: 404, statusText: 'Repository not found' });
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      const asked = await Promise.all(
        [...names, open].map((name) => ask(`${name}?cmd=${command}`, { ...sent, authorization: null })),
      );
      expect(asked[0]).toMatchObject({ status: 401 });
      for (const answer of asked) expect(answer).toEqual(asked[0]);
    }
  });

  it('B8 follows the rights of the moment', async () => {
    const statusOf = async () => (await ask(`${hidden}?cmd=heads`)).status;
    await admin.result('grant_user_permission', { repoid: hidden, userid: ann.username, perm: 'repository.read' });
    expect(await statusOf()).toBe(200);
    await admin.result('revoke_user_permission', { repoid: hidden, userid: ann.username });
    expect(await statusOf()).toBe(404);
  });

  it('has the type of Mercurial, and is kept by no cache', async () => {
    expect(await ask(`${open}?cmd=heads`)).toMatchObject({
      status: 200,
      headers: { 'content-type': plain, 'cache-control': 'no-cache, max-age=0, must-revalidate' },
      text: `${nullId}\n`,
    });
    expect(await ask(`${open}?cmd=lookup`)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/hg-error' },
      text: 'The request lacks the argument `key`\n',
    });
  });

  it('says in the status line why a push is refused', async () => {
    for (const command of ['unbundle', 'pushkey']) {
      const answer = await ask(`${open}?cmd=${command}`, { ...pushing, body: 'x'.repeat(10_000) });
      expect(answer).toMatchObject({
        status: 403,
        statusText: `You may read \`${encodeURI(open)}\`, but not push into it`,
      });
      const untyped = await ask(`${open}?cmd=${command}`);
      expect(untyped).toMatchObject({ status: 400, statusText: 'Content-Type must be application/mercurial-0.1' });
    }
  });

  it('A11 says it of repositories of any name, as URLs have it', async () => {
    const own = encodeURIComponent(uniqueName('Ürün-プロジェクト'));
    await admin.result('create_repo', { repo_name: decodeURIComponent(own), repo_type: 'hg' });
    const answer = await ask(`${own}?cmd=unbundle`, { ...pushing, body: 'x' });
    const text = `You may read \`${decodeURIComponent(own)}\`, but not push into it\n`;
    expect(answer).toMatchObject({ status: 403, statusText: `You may read \`${own}\`, but not push into it`, text });
  });
});

describe('D1 a command', () => {
  it.each([
    'clonebundles',
    'stream_out',
    'debugwireargs',
    'putlfile',
    'summary',
    '',
    'capabilities%0d%0aX:y',
    '--help',
  ])('that is not served is refused whatever the repository: %j', async (command) => {
    for (const name of [open, hidden, 'missing']) {
      expect(await ask(`${name}?cmd=${command}`, { authorization: null })).toMatchObject({
        status: 404,
        statusText: 'This command of Mercurial is not served here',
      });
    }
  });

  it('is the first of its kind in the address, and no part of a batch that pushes', async () => {
    expect(await ask(`${open}?cmd=heads&cmd=unbundle`)).toMatchObject({ status: 200, text: `${nullId}\n` });
    expect(await ask(`${open}?cmd=unbundle&cmd=heads`, pushing)).toMatchObject({ status: 403 });
    const pushes = ['pushkey namespace=bookmarks,key=x,old=,new=', 'unbundle heads=', 'heads ;pushkey key=x'];
    for (const commands of pushes) {
      const args = `cmds=${encodeURIComponent(commands)}`;
      for (const answer of [
        await ask(`${open}?cmd=batch&${args}`),
        await ask(`${open}?cmd=batch`, { headers: { 'x-hgarg-1': args } }),
        await post(`${open}?cmd=batch`, args),
      ]) {
        expect(answer.headers['content-type']).toBe('application/hg-error');
        expect(answer.text).toContain('not served here');
      }
    }
    expect(await ask(`${open}?cmd=listkeys&namespace=bookmarks`)).toMatchObject({ status: 200, text: '' });
  });

  it.each(['../../etc', '--config=x', 'all()', '%00', '/etc/passwd', 'x'.repeat(3_000)])(
    'takes its arguments for what they are (%#)',
    async (value) => {
      const { status, text } = await ask(`${open}?cmd=lookup&key=${encodeURIComponent(value)}`);
      expect([status, text]).toEqual([200, `0 unknown revision '${value}'\n`]);
    },
  );

  it.each(['x/../y', '.hg', '%2e%2e/x', 'a%2fb', 'x'.repeat(300)])('C1 has no path for %j', async (path) => {
    const { status } = await ask(`${path}?cmd=heads`);
    expect([302, 404]).toContain(status);
  });
});

describe('arguments', () => {
  const lookup = (key: string) => `key=${encodeURIComponent(key)}`;

  it('come in headers, in the body or in the query, in this order', async () => {
    const path = `${open}?cmd=lookup`;
    const inTwo = { 'x-hgarg-1': 'key=in', 'x-hgarg-2': '-two', 'x-hgarg-4': '-not' };
    expect((await ask(path, { headers: inTwo })).text).toContain("'in-two'");
    expect((await ask(`${path}&key=query`, { headers: inTwo })).text).toContain("'in-two'");
    expect((await ask(`${path}&key=query`)).text).toContain("'query'");
    expect((await post(`${path}&key=query`, lookup('body'))).text).toContain("'body'");
    expect((await post(`${path}&key=query`, 'other=x')).text).toContain("'query'");
  });

  it('A4 in a body have the length that was announced, up to a limit', async () => {
    const path = `${open}?cmd=known`;
    const wrong = { status: 400, statusText: 'X-HgArgs-Post must be the length of the body' };
    expect(await post(path, 'nodes=', '5')).toMatchObject(wrong);
    expect(await post(path, 'nodes=', '7')).toMatchObject(wrong);
    for (const announced of ['-1', '1e3', 'x', '6, 6']) {
      expect(await post(path, 'nodes=', announced)).toMatchObject({
        status: 400,
        statusText: 'X-HgArgs-Post must be a number of bytes',
      });
    }
    const ids = `nodes=${Array.from({ length: 100_000 }, () => nullId).join('+')}`;
    expect((await post(path, ids)).text).toBe('1'.repeat(100_000));
    expect(await post(path, `nodes=${'1'.repeat(8 * 1024 * 1024)}`)).toMatchObject({ status: 413 });
    expect(await ask(`${open}?cmd=heads`, { headers: { 'x-hgproto-1': 'x'.repeat(1_025) } })).toMatchObject({
      status: 400,
    });
  });

  it('A5 in a flood of headers are refused, and the next request is served', async () => {
    const headersOf = (count: number) =>
      Array.from({ length: count }, (_, at) => `X-HgArg-${at + 1}: ${'a'.repeat(1_000)}`);
    const lines = [`GET /${encodeURI(open)}?cmd=lookup HTTP/1.1`, 'Host: a', `Authorization: ${withKey()}`];
    const send = async (count: number) => {
      const head = [...lines, ...headersOf(count)].join('\r\n');
      return (await exchange(cluster.baseUrl, { pieces: [`${head}\r\n\r\n`], answers: 1 }))[0]?.status;
    };
    expect([await send(50), await send(100), await send(1)]).toEqual([200, 431, 200]);
  });

  it(`of ${heads} heads are the body of a request`, async () => {
    const path = join(directory, 'clone');
    // Mercurial crashes when the name in a login is not ASCII, before it sends anything.
    const url = `${cluster.baseUrl.replace('://', `://api-key:${ann.client.apiKey}@`)}/${encodeURI(many)}`;
    await hg(directory, 'clone', '-q', '-U', url, path);
    const ids = (of: string) => hg(of, 'log', '-r', 'sort(all(), node)', '-T', '{node}\n');
    expect(await ids(path)).toBe(await ids(join(directory, 'many')));
    expect((await hg(path, 'heads', '-T', 'x')).length).toBe(heads);
    expect(await hg(path, 'incoming', '-q', url).catch((error: Error) => error.message)).toContain('ended with 1');
  });
});
