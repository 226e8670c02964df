import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../harness/raw-http.ts';
import { admin, cluster, makeRepository, makeUser, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

const password = 'a secret of ann';
const refs = 'info/refs?service=git-upload-pack';
const contentType = 'Content-Type: application/x-git-upload-pack-request';

let open = '';
let hidden = '';
let mercurial = '';
let ann: TestUser;

beforeAll(async () => {
  ann = await makeUser({ password });
  open = await makeRepository('git');
  hidden = await makeRepository('git', { private: true });
  mercurial = await makeRepository('hg');
});

const basic = (username: string, word: string) => `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`;
const withKey = () => basic(ann.username, ann.client.apiKey);

/** Sends a request without a body; returns what of the answer depends on the request alone. */
async function ask(path: string, authorization: string | null = withKey(), method = 'GET') {
  const headers = { ...(authorization !== null && { authorization }), 'git-protocol': 'version=2' };
  const response = await fetch(`${cluster.baseUrl}/${path}`, { method, headers, redirect: 'manual' });
  const own = ['date', 'x-request-id'];
  const shown = [...response.headers].filter(([name]) => !own.includes(name));
  return { status: response.status, headers: Object.fromEntries(shown), text: await response.text() };
}

/** Sends a request with a body as it is; returns the first line and the body of the answer. */
async function send(
  head: readonly string[],
  pieces: readonly (string | Buffer)[],
  path = `/${encodeURI(open)}/git-upload-pack`,
) {
  const lines = [`POST ${path} HTTP/1.1`, 'Host: a', `Authorization: ${withKey()}`, ...head];
  const sent = { pieces: [`${lines.join('\r\n')}\r\n\r\n`, ...pieces], answers: 1 };
  const [answer] = await exchange(cluster.baseUrl, sent);
  return { status: answer?.status, text: answer?.body.toString() };
}

describe('a login', () => {
  it('is asked for by name of the site, whatever the repository', async () => {
    const answers = await Promise.all([open, hidden, mercurial, 'missing'].map((name) => ask(`${name}/${refs}`, null)));
    const [first] = answers;
    expect(first).toMatchObject({ status: 401, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(first?.headers['www-authenticate']).toMatch(/^Basic realm=".+", charset="UTF-8"$/);
    for (const answer of answers) expect(answer).toEqual(first);
  });

  it('is a key with the name of its user or `api-key`, or a name with its password', async () => {
    const { username, client } = ann;
    for (const authorization of [
      basic(username, client.apiKey),
      basic('api-key', client.apiKey),
      basic(username, password),
      basic(username.toUpperCase(), password),
    ]) {
      expect(await ask(`${open}/${refs}`, authorization)).toMatchObject({ status: 200 });
    }
  });

  it('B4 gets one answer for all that is wrong', async () => {
    const { username, client } = ann;
    const wrong = [
      basic(username, 'wrong'),
      basic('nobody', password),
      basic('someone', client.apiKey),
      basic(username, 'a'.repeat(40)),
      basic('default', ''),
      'Basic AAAA',
    ];
    const answers = await Promise.all(wrong.map((authorization) => ask(`${open}/${refs}`, authorization)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 401, text: 'Invalid username, password or API key\n' });
  });

  it('B5 ends with its key, its password or its user, from the moment of the answer', async () => {
    const bob = await makeUser({ password });
    const right = basic(bob.username, password);
    const statusOf = async (authorization: string) => (await ask(`${open}/${refs}`, authorization)).status;
    const made = await bob.client.result<{ api_key: { api_key: string; api_key_id: number } }>('create_api_key');
    const key = made.api_key.api_key;
    expect([await statusOf(basic('api-key', key)), await statusOf(right)]).toEqual([200, 200]);
    await bob.client.result('revoke_api_key', { api_key_id: made.api_key.api_key_id });
    await admin.result('update_user', { userid: bob.username, password: 'another secret' });
    expect([await statusOf(basic('api-key', key)), await statusOf(right)]).toEqual([401, 401]);
    expect(await statusOf(basic(bob.username, 'another secret'))).toBe(200);
    await admin.result('update_user', { userid: bob.username, active: false });
    expect(await statusOf(basic(bob.username, 'another secret'))).toBe(401);
  });

  it('B12 is refused openly from an address that is not allowed', async () => {
    const far = await makeUser({ password });
    await admin.result('add_user_ip', { userid: far.username, ip: '198.51.100.1' });
    for (const word of [password, far.client.apiKey]) {
      expect(await ask(`${open}/${refs}`, basic(far.username, word))).toMatchObject({
        status: 403,
        text: 'request from IP:127.0.0.1 not allowed\n',
      });
    }
  });
});

describe('an answer', () => {
  it('B10 is the same about repositories that are missing or forbidden, whatever the system', async () => {
    const { repo_id: id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: hidden });
    const other = await makeRepository('hg', { private: true });
    const names = [hidden, `${hidden}.git`, `_${id}`, uniqueName('missing'), '_2147483647', String(id), other];
    for (const path of [refs, 'info/refs?service=git-receive-pack']) {
      const answers = await Promise.all(names.map((name) => ask(`${name}/${path}`)));
      expect(answers[0]).toMatchObject({ status: 404, text: 'Repository not found\n' });
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
  });

  it('B8 follows the rights of the moment', async () => {
    const statusOf = async () => (await ask(`${hidden}/${refs}`)).status;
    await admin.result('grant_user_permission', { repoid: hidden, userid: ann.username, perm: 'repository.read' });
    expect(await statusOf()).toBe(200);
    await admin.result('revoke_user_permission', { repoid: hidden, userid: ann.username });
    expect(await statusOf()).toBe(404);
  });

  it('says what is not served', async () => {
    for (const path of ['info/refs', 'info/refs?service=git-shell']) {
      expect(await ask(`${open}/${path}`)).toMatchObject({ status: 403 });
    }
    expect(await ask(`${open}/info/lfs/locks`)).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/vnd.git-lfs+json' },
      text: '{"message":"Git LFS is not served here"}\n',
    });
  });

  it('is kept by no cache, and leaves pages alone', async () => {
    expect((await ask(`${open}/${refs}`)).headers).toMatchObject({
      'cache-control': 'no-cache, max-age=0, must-revalidate',
      'content-type': 'application/x-git-upload-pack-advertisement',
      'x-accel-buffering': 'no',
    });
    expect(await ask(`${open}/files/tip/info/refs`)).toMatchObject({ status: 302 });
  });

  it.each(['version=9', 'version=2:version=1', '; rm -rf', 'x'.repeat(10_000), 'version=-1', 'version=2=2'])(
    'D5 is one of git, whatever the header of its protocol (%#)',
    async (header) => {
      const headers = { authorization: withKey(), 'git-protocol': header };
      const response = await fetch(`${cluster.baseUrl}/${open}/${refs}`, { headers });
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(/^(?:001e# service=git-upload-pack\n0000|000eversion 2\n)/);
    },
  );
});

describe('a body', () => {
  const flush = '0000';

  it('is answered by git when it is complete, however it is sent', async () => {
    const zipped = gzipSync(flush);
    const ways: [readonly string[], (string | Buffer)[]][] = [
      [['Content-Length: 4'], [flush]],
      [['Transfer-Encoding: chunked'], ['2\r\n00\r\n', '2\r\n00\r\n0\r\n\r\n']],
      [[`Content-Length: ${zipped.length}`, 'Content-Encoding: gzip'], [zipped]],
    ];
    for (const [head, pieces] of ways)
      expect(await send([contentType, ...head], pieces)).toMatchObject({ status: 200 });
  });

  it('A4 F7 with two lengths is refused before it is read', async () => {
    const head = [contentType, 'Content-Length: 4', 'Transfer-Encoding: chunked'];
    expect(await send(head, ['0\r\n\r\n'])).toMatchObject({ status: 400 });
  });

  it.each([
    ['Content-Length: 4', 'Content-Length: 44'],
    ['Content-Length: 4, 44'],
    ['Content-Length: 4', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding : chunked', 'Content-Length: 4'],
    ['Content-Length: +4'],
    ['Content-Length: 0x4'],
  ])('A4 F7 with a doubtful end smuggles no second request in: %s %s', async (...head) => {
    const lines = [
      `POST /${encodeURI(open)}/git-upload-pack HTTP/1.1`,
      'Host: a',
      `Authorization: ${withKey()}`,
      contentType,
    ];
    const second = `GET /${encodeURI(open)}/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: a\r\nAuthorization: ${withKey()}\r\n\r\n`;
    const pieces = [`${[...lines, ...head].join('\r\n')}\r\n\r\n`, `0\r\n\r\n${second}`];
    const answers = await exchange(cluster.baseUrl, { pieces, answers: 2, end: true });
    expect(answers.map(({ status }) => status)).toEqual([400]);
  });

  it('A4 that is too large is refused by its length, and by its bytes', async () => {
    const tooLarge = { status: 413, text: 'Request body is too large (limit 33554432 bytes)\n' };
    expect(await send([contentType, 'Content-Length: 33554433'], [])).toMatchObject(tooLarge);
  });

  it('A8 F10 that is a bomb is refused while git reads it', async () => {
    const have = `0032have ${'1'.repeat(40)}\n`;
    const bomb = gzipSync(`0011command=fetch0001${have.repeat(200_000)}0000`);
    const head = ['Git-Protocol: version=2', `Content-Length: ${bomb.length}`, 'Content-Encoding: gzip'];
    expect(await send([contentType, ...head], [bomb])).toMatchObject({ status: 413 });
  });

  it('A4 of another type or encoding is refused', async () => {
    expect(await send(['Content-Length: 4'], [flush])).toMatchObject({ status: 400 });
    const head = [contentType, 'Content-Length: 4', 'Content-Encoding: br'];
    expect(await send(head, [flush])).toMatchObject({ status: 400, text: 'Content-Encoding is not supported\n' });
  });

  it('A5 is not waited for when the answer does not depend on it', async () => {
    const head = ['Content-Type: application/x-git-receive-pack-request', 'Content-Length: 1000000'];
    expect(await send(head, ['x'], `/${encodeURI(open)}/git-receive-pack`)).toMatchObject({ status: 403 });
  });

  const malformed = { status: 400, text: 'The request is malformed\n' };
  const empty = { status: 200, text: '' };
  const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
  const fetchOf = (...args: string[]) => `${line('command=fetch')}0001${args.map(line).join('')}0000`;

  it.each([
    ['ffff', malformed],
    ['xxxx', malformed],
    ['0011command=evil\n', malformed],
    [`${line('command=fetch')}${line('evil')}0000`, malformed],
    [fetchOf('want main'), malformed],
    [fetchOf('evil'), malformed],
    [fetchOf('deepen x'), malformed],
    [fetchOf('filter x'), malformed],
    ['0016command=evil\n', empty],
    ['0'.repeat(70_000), empty],
    ['f'.repeat(200_000), malformed],
  ])(
    'D8 that is malformed gets the same answer however large it is, and the next request is served (%#)',
    async (body, expected) => {
      const answer = await send([contentType, 'Git-Protocol: version=2', `Content-Length: ${body.length}`], [body]);
      expect(answer).toEqual(expected);
      expect(await send([contentType, 'Content-Length: 4'], [flush])).toMatchObject({ status: 200 });
    },
  );
});
