import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../harness/raw-http.ts';
import { admin, cluster, makeRepository, makeUser, sql, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

const refs = 'info/refs?service=git-receive-pack';
const contentType = 'Content-Type: application/x-git-receive-pack-request';
const password = 'a secret of ann';
const zeros = '0'.repeat(40);
const id = '1'.repeat(40);

let writer: TestUser;
let reader: TestUser;
let repository = '';
let hidden = '';

beforeAll(async () => {
  [writer, reader] = [await makeUser({ password }), await makeUser()];
  repository = await makeRepository('git');
  hidden = await makeRepository('git', { private: true });
  await admin.result('grant_user_permission', {
    repoid: repository,
    userid: writer.username,
    perm: 'repository.write',
  });
});

const basic = (username: string, word: string) => `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`;
const keyOf = (user: TestUser) => basic(user.username, user.client.apiKey);

async function ask(name: string, authorization?: string) {
  const headers = { ...(authorization !== undefined && { authorization }) };
  const response = await fetch(`${cluster.baseUrl}/${name}/${refs}`, { headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** Sends a push as it is; returns the first line and the body of the answer. */
async function send(body: string | Buffer, head: readonly string[] = [], user = writer, name = repository) {
  const length = head.some((line) => /^(?:Content-Length|Transfer-Encoding)/.test(line))
    ? []
    : [`Content-Length: ${body.length}`];
  const own = [`Authorization: ${keyOf(user)}`, contentType, ...length, ...head];
  const lines = [`POST /${encodeURI(name)}/git-receive-pack HTTP/1.1`, 'Host: a', ...own];
  const [answer] = await exchange(cluster.baseUrl, { pieces: [`${lines.join('\r\n')}\r\n\r\n`, body], answers: 1 });
  return { status: answer?.status, text: answer?.body.toString() };
}

const line = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
const command = (name: string, capabilities = 'report-status') =>
  `${line(`${zeros} ${id} ${name}\0 ${capabilities}`)}0000`;

it('A4 a push with too many references to name them all gets a report of a megabyte, and says how many there are', async () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `refs/heads/${'x'.repeat(60)}/${at}`);
  const [head = '', ...others] = ['refs/trunkline/own', ...names].map((name) => `${zeros} ${id} ${name}`);
  const body = `${line(`${head}\0 report-status side-band-64k`)}${others.map(line).join('')}0000`;
  const { status, text = '' } = await send(body);
  expect(status).toBe(200);
  expect(text.length).toBeGreaterThan(500_000);
  expect(text.length).toBeLessThan(1.2 * 1024 * 1024);
  const reason = 'refs/trunkline/own: names below refs/trunkline/ are reserved';
  expect(text[4]).toBe('\x02');
  expect(text.slice(5)).toMatch(/^\d+ more references were refused: /);
  expect(text).toContain(`more references were refused: ${reason}\n`);
  expect(text).toContain('ng refs/trunkline/own names below refs/trunkline/ are reserved\n');
});

it('A4 a push that changes too many references gets a report, as its client expects', async () => {
  const names = Array.from({ length: 50_010 }, (_, at) => `refs/heads/${at}`);
  const [head = '', ...others] = names.map((name) => `${zeros} ${id} ${name}`);
  const body = `${line(`${head}\0 report-status side-band-64k`)}${others.map(line).join('')}0000`;
  const { status, text = '' } = await send(body);
  expect([status, text[4]]).toEqual([200, '\x02']);
  expect(text).toContain('more references were refused: a push may change 50000 references at most\n');
  expect(text).toContain('ng refs/heads/0 a push may change 50000 references at most\n');
});

describe('B7 a push', () => {
  it('needs a login, by key or by password, and the right to write', async () => {
    expect(await ask(repository)).toMatchObject({ status: 401 });
    for (const authorization of [
      keyOf(writer),
      basic('api-key', writer.client.apiKey),
      basic(writer.username, password),
    ]) {
      expect(await ask(repository, authorization)).toMatchObject({
        status: 200,
        type: 'application/x-git-receive-pack-advertisement',
      });
    }
    expect(await ask(repository, basic(writer.username, 'wrong'))).toMatchObject({ status: 401 });
    const refusal = { status: 403, text: `You may read \`${repository}\`, but not push into it\n` };
    expect(await ask(repository, keyOf(reader))).toMatchObject(refusal);
    expect(await send('x', ['Content-Length: 1000000'], reader)).toMatchObject(refusal);
  });

  it('A11 that is refused is answered with the name of the repository, whatever characters it has', async () => {
    const own = uniqueName('Ürün-プロジェクト');
    await admin.result('create_repo', { repo_name: own, repo_type: 'git' });
    const refusal = { status: 403, text: `You may read \`${own}\`, but not push into it\n` };
    expect(await ask(encodeURIComponent(own), keyOf(reader))).toMatchObject(refusal);
    expect(await send('0000', [], reader, own)).toEqual(refusal);
    await admin.result('grant_user_permission', { repoid: own, userid: writer.username, perm: 'repository.write' });
    await admin.result('lock', { repoid: own, userid: writer.username, locked: true });
    const locked = { status: 423, text: `Repository \`${own}\` locked by user \`${writer.username}\`\n` };
    expect(await ask(encodeURIComponent(own), basic('api-key', admin.apiKey))).toMatchObject(locked);
  });

  it('B10 into a repository that may not be read is one into none', async () => {
    const missing = { status: 404, text: 'Repository not found\n' };
    for (const name of [hidden, 'missing']) {
      expect(await ask(name, keyOf(reader))).toMatchObject(missing);
      expect(await send('x', ['Content-Length: 1000000'], reader, name)).toMatchObject(missing);
    }
  });

  it('is refused to all but the holder of the repository lock, and changes no lock', async () => {
    const own = await makeRepository('git');
    await admin.result('grant_user_permission', { repoid: own, userid: writer.username, perm: 'repository.write' });
    await admin.result('lock', { repoid: own, userid: writer.username, locked: true });
    const refusal = { status: 423, text: `Repository \`${own}\` locked by user \`${writer.username}\`\n` };
    const administrator = basic('api-key', admin.apiKey);
    expect(await ask(own, administrator)).toMatchObject(refusal);
    const lines = [`POST /${encodeURI(own)}/git-receive-pack HTTP/1.1`, 'Host: a', `Authorization: ${administrator}`];
    const head = [...lines, contentType, 'Content-Length: 1000'].join('\r\n');
    const [answer] = await exchange(cluster.baseUrl, { pieces: [`${head}\r\n\r\n`], answers: 1 });
    expect({ status: answer?.status, text: answer?.body.toString() }).toEqual(refusal);
    expect(await ask(own, keyOf(writer))).toMatchObject({ status: 200 });
    expect(await admin.result('lock', { repoid: own })).toMatchObject({ locked: true, locked_by: writer.username });
  });
});

describe('the references for a push', () => {
  it('come with what is accepted', async () => {
    const { text } = await ask(repository, keyOf(writer));
    expect(text).toMatch(/^001f# service=git-receive-pack\n0000/);
    for (const word of ['report-status', 'side-band-64k', 'delete-refs', 'atomic', 'push-options']) {
      expect(text).toContain(word);
    }
    expect(text).not.toContain('push-cert');
  });
});

describe('the body of a push', () => {
  it('that is empty tests the login', async () => {
    expect(await send('0000')).toEqual({ status: 200, text: '' });
    const zipped = gzipSync('0000');
    expect(await send(zipped, ['Content-Encoding: gzip'])).toEqual({ status: 200, text: '' });
  });

  it('A4 is refused by its length or its type', async () => {
    const text = 'The push is larger than 2147483648 bytes: push fewer changesets at a time';
    for (const capabilities of ['report-status', 'report-status side-band-64k']) {
      const answer = await send(command('refs/heads/a', capabilities), ['Content-Length: 2147483649']);
      expect(answer).toEqual({ status: 200, text: expect.stringContaining(text) });
    }
    expect(await send('0000', ['Content-Encoding: br'])).toMatchObject({ status: 400 });
  });

  it('A8 F10 that is a bomb is refused', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(command('refs/heads/a')), Buffer.alloc(8_000_000)]));
    const { status, text = '' } = await send(bomb, ['Content-Encoding: gzip']);
    expect([status, status === 200 ? text.includes('ng refs/heads/a') : true]).toEqual([status, true]);
  });

  it.each(['xxxx', '0001', 'ffffx', line('x'), line(`${id} ${id}`)])(
    'D8 that is malformed is answered (%#)',
    async (body) => {
      expect(await send(`${body}0000`)).toEqual({ status: 200, text: '0020ERR the request is malformed' });
    },
  );

  it.each([
    ['refs/heads/a b', 'git does not allow this name'],
    ['HEAD', 'only names below refs/heads/, refs/tags/ and the like are accepted'],
    ['refs/replace/a', 'names below refs/replace/ are reserved'],
    [`refs/heads/${'a/'.repeat(2_000)}b`, 'the name is too long'],
  ])('D5 with the reference %.20s is refused in words', async (name, text) => {
    const { status, text: report } = await send(`${command(name)}PACK`);
    expect(status).toBe(200);
    expect(report).toContain(`ng ${name} ${text}\n`);
  });

  it('D8 whose pack is no pack is refused, and leaves no operation', async () => {
    const { text } = await send(`${command('refs/heads/a')}PACKxxxx`);
    expect(text).toContain('ng refs/heads/a the pack is damaged or incomplete\n');
    expect(await sql`select 1 from operations where request->>'name' = ${repository} and kind = 'push'`).toHaveLength(
      0,
    );
  });
});
