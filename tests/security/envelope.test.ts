import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, post } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

let cluster: Cluster;
let sql: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_LOG_LEVEL: 'trace', TRUNKLINE_TRUSTED_PROXIES: '127.0.0.0/8, 10.9.0.0/16' },
  });
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const send = async (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  post(cluster.baseUrl, body, headers);

/** Opens a socket to the gateway and sends a text. */
async function open(text: string): Promise<Socket> {
  const { port } = new URL(cluster.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(text);
  return socket;
}

async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes('"error":')) break;
  }
  return text;
}

const call = (over: Record<string, unknown>) =>
  JSON.stringify({ id: 1, api_key: cluster.adminKey, method: 'test', args: { args: 1 }, ...over });
const reply = (id: string, error: string | null, result = 'null') =>
  `{"id":${id},"result":${result},"error":${JSON.stringify(error)}}`;

describe('the envelope', () => {
  it.each([
    ['', 'null', 'Content-Length is 0'],
    ['[]', 'null', "Incorrect JSON query missing 'api_key'"],
    ['7', 'null', "Incorrect JSON query missing 'api_key'"],
    ['null', 'null', "Incorrect JSON query missing 'api_key'"],
    ['{}', 'null', "Incorrect JSON query missing 'api_key'"],
    ['{"id":1}', 'null', "Incorrect JSON query missing 'api_key'"],
    ['{"api_key":"x"}', 'null', "Incorrect JSON query missing 'id'"],
    ['{"api_key":"x","id":5}', '5', "Incorrect JSON query missing 'method'"],
    ['{"api_key":"x","id":5,"method":"test"}', '5', "Incorrect JSON query missing 'args'"],
    ['{"auth_token":"x","id":"a","method":"test"}', '"a"', "Incorrect JSON query missing 'args'"],
    ['{"api_key":"x","id":null,"method":"test","args":{}}', 'null', 'Invalid API key'],
    ['{"api_key":7,"id":1,"method":"test","args":{}}', '1', 'Invalid API key'],
    [`{"api_key":"${'a'.repeat(40)}","id":1,"method":"_x","args":{}}`, '1', 'Invalid API key'],
  ])('%s', async (body, id, error) => {
    const { status, text, headers } = await send(body);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(text).toBe(reply(id, error));
  });

  it('checks the method after the key', async () => {
    expect((await send(call({ method: '_private' }))).text).toBe(reply('1', 'Method not allowed'));
    expect((await send(call({ method: 'nope' }))).text).toBe(reply('1', 'No such method: nope'));
    expect((await send(call({ method: 7 }))).text).toBe(reply('1', 'No such method: 7'));
    expect((await send(call({ method: 'toString' }))).text).toBe(reply('1', 'No such method: toString'));
  });

  it('args that are no object count as an empty object', async () => {
    for (const args of [null, 1, 'x', [1]]) {
      expect((await send(call({ args }))).text).toBe(reply('1', 'Missing non optional `args` arg in JSON DATA'));
    }
  });

  it.each([
    '12345678901234567890',
    '1.0',
    '-0',
    '1e400',
    '"\\u2028 \\ud800 \\/"',
    '"é\u2028"',
    '{"a": [1, "x y"]}',
    '[[[]]]',
  ])('A3 the id %s comes back as it was sent', async (id) => {
    const body = `{"id": ${id} ,"api_key":"${cluster.adminKey}","method":"test","args":{"args":1}}`;
    const compact = id.startsWith('{') ? '{"a":[1,"x y"]}' : id;
    expect((await send(body)).text).toBe(reply(compact, null, '1'));
  });

  it('the last of duplicate members counts, escaped names too', async () => {
    const body = `{"id":1,"\\u0069d":2,"api_key":"x","api_key":"${cluster.adminKey}","method":"test","args":{"args":1}}`;
    expect((await send(body)).text).toBe(reply('2', null, '1'));
  });

  it('A2 deep nesting is refused at once', async () => {
    const deep = (depth: number) => call({}).replace('"id":1', `"id":${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect((await send(deep(31))).text).toBe(reply('['.repeat(31) + ']'.repeat(31), null, '1'));
    for (const depth of [40, 5_000, 400_000]) {
      expect((await send(deep(depth))).text).toMatch(/^\{"id":null,"result":null,"error":"JSON parse error ERR:/);
    }
  });

  it('A1 a broken body is not echoed, and not logged', async () => {
    const { status, text } = await send('{"api_key":"SECRETX-in-broken-body');
    expect(status).toBe(200);
    expect(text).toMatch(/^\{"id":null,"result":null,"error":"JSON parse error ERR:/);
    expect(text).not.toContain('SECRETX');
    expect(await cluster.logs()).not.toContain('SECRETX');
  });

  it('invalid UTF-8 is a parse error', async () => {
    expect((await send(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]))).text).toMatch(/ERR:/);
  });

  it('A4 too large, in both framings; the next request is served', async () => {
    const error = reply('null', 'Request body is too large (limit 1048576 bytes)');
    const big = 'x'.repeat(1_048_577);
    expect((await send(big)).text).toBe(error);
    const head = 'POST /_admin/api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const socket = await open(`${head}${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`);
    const answer = await answerOf(socket);
    expect(answer).toContain(error);
    expect(answer.toLowerCase()).toContain('connection: close');
    expect((await send(call({}))).text).toBe(reply('1', null, '1'));
  });

  it('A5 two hundred sockets that send their request slowly delay no other client', async () => {
    const head = 'POST /_admin/api HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{';
    const sockets = await Promise.all(Array.from({ length: 200 }, () => open(head)));
    for (const socket of sockets) socket.write('"');
    expect((await send(call({}))).text).toBe(reply('1', null, '1'));
    for (const socket of sockets) socket.destroy();
  });

  it('A8 a content encoding is refused', async () => {
    expect((await send('x', { 'Content-Encoding': 'gzip' })).text).toBe(
      reply('null', 'Content-Encoding is not supported'),
    );
  });

  it('A10 other verbs are answered in the envelope, a trailing slash is tolerated', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const response = await fetch(`${cluster.baseUrl}/_admin/api`, { method });
      expect({ status: response.status, text: await response.text() }).toEqual({
        status: 200,
        text: reply('null', 'Only POST is supported'),
      });
    }
    const slash = await fetch(`${cluster.baseUrl}/_admin/api/`, { method: 'POST', body: call({}) });
    expect(await slash.text()).toBe(reply('1', null, '1'));
    const doubled = await fetch(`${cluster.baseUrl}//_admin/api`, { method: 'POST', body: call({}) });
    expect(await doubled.text()).toBe((await send(call({}))).text);
    for (const path of ['/_admin//api', '//_admin//users', '//evil.example/_admin/api']) {
      const body = call({});
      const answer = await fetch(`${cluster.baseUrl}${path}`, { method: 'POST', body, redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([308, path.replaceAll('//', '/')]);
    }
  });

  const otherAddresses = ['/_admin/api/x', '/_admin/API', '/_admin/api/x/', '/_admin/api%2Fx', '/_admin/no/such'];
  const verbs = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'];

  it.each(otherAddresses)('A10 %s is 404 for any verb and any caller', async (path) => {
    const queries = ['', `?api_key=${cluster.adminKey}`, `?api_key=${'0'.repeat(40)}`];
    for (const method of verbs) {
      for (const query of queries) {
        const body = method === 'POST' ? call({}) : null;
        const response = await fetch(`${cluster.baseUrl}${path}${query}`, { method, body, redirect: 'manual' });
        expect([method, query, response.status]).toEqual([method, query, 404]);
        expect(await response.text()).not.toContain('"result"');
      }
    }
    const head = await fetch(`${cluster.baseUrl}${path}`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([404, '']);
  });

  it('A6 __proto__ is a name like any other', async () => {
    const body = call({}).replace('"args":{"args":1}', '"args":{"__proto__":{"admin":true},"constructor":1,"args":2}');
    expect((await send(body)).text).toBe(reply('1', null, '2'));
  });

  it('A9 a list of calls is refused, and none of them runs', async () => {
    const batch = `[${Array.from({ length: 51 }, () => call({ method: 'create_repo', args: { repo_name: 'batched' } })).join(',')}]`;
    for (const body of [batch, `[${batch}]`]) {
      expect((await send(body)).text).toBe(reply('null', "Incorrect JSON query missing 'api_key'"));
    }
    expect((await send(call({ method: 'get_repo', args: { repoid: 'batched' } }))).text).toBe(reply('1', null));
  });

  it('A7 names with NUL, lone surrogates or a megabyte are refused, and one with a direction mark is not found', async () => {
    for (const value of ['a\0b', '\ud800', 'x'.repeat(1_000_000)]) {
      const { text } = await send(call({ method: 'get_repo', args: { repoid: value } }));
      expect(text).toMatch(/Invalid value for `repoid`: /);
    }
    expect((await send(call({ method: 'get_repo', args: { repoid: 'a\u202eb' } }))).text).toBe(reply('1', null));
  });
});

describe('keys and addresses', () => {
  it('B3 B4 malformed keys are refused without a database query', async () => {
    const keys = ['', 'x', 'A'.repeat(40), 'g'.repeat(40), 'a'.repeat(39), 'a'.repeat(41), `${'a'.repeat(39)}\n`];
    for (const api_key of keys) expect((await send(call({ api_key }))).text).toBe(reply('1', 'Invalid API key'));
  });

  it('B4 hundreds of guesses are slowed down, and a good key still works', async () => {
    const guesses = Array.from({ length: 300 }, (_, index) =>
      send(call({ api_key: index.toString(16).padStart(40, '0') }), { 'X-Forwarded-For': '203.0.113.77' }),
    );
    const texts = new Set((await Promise.all(guesses)).map(({ text }) => text));
    expect(texts).toEqual(new Set([reply('1', 'Invalid API key'), reply('1', 'Service is busy, try again later')]));
    expect((await send(call({}))).text).toBe(reply('1', null, '1'));
  });

  it('the key of the user default is refused', async () => {
    const keys = await sql`select k.id from api_keys k join users u on u.id = k.user_id where u.username = 'default'`;
    expect(keys).toHaveLength(1);
    const { api_key } = await createClient(cluster.baseUrl, cluster.adminKey).result<{ api_key: string }>('get_user', {
      userid: 'default',
    });
    expect((await send(call({ api_key }))).text).toBe(reply('1', 'Invalid API key'));
  });

  it.each([
    [{}, '127.0.0.1'],
    [{ 'X-Forwarded-For': '203.0.113.9' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '1.2.3.4, 203.0.113.9' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '1.2.3.4, 203.0.113.9, 10.9.1.1' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '::ffff:203.0.113.9' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '2001:db8::1' }, '2001:db8::1'],
    [{ 'X-Real-IP': '9.9.9.9' }, '127.0.0.1'],
  ])('B12 %j is %s', async (headers, ip) => {
    const body = call({ method: 'get_ip', args: { userid: 'admin' } });
    expect((await send(body, headers)).text).toContain(`"ip_addr_server":"${ip}"`);
  });

  it('B12 an address that is not listed is refused, also behind a listed one in X-Forwarded-For', async () => {
    await sql`insert into user_ip_addresses (user_id, ip_addr) select id, '198.51.100.0/24' from users where username = 'default'`;
    try {
      const from = async (address: string) => (await send(call({}), { 'X-Forwarded-For': address })).text;
      expect(await from('198.51.100.7')).toBe(reply('1', null, '1'));
      expect(await from('203.0.113.9')).toBe(reply('1', 'request from IP:203.0.113.9 not allowed'));
      expect(await from('198.51.100.7, 203.0.113.9')).toBe(reply('1', 'request from IP:203.0.113.9 not allowed'));
    } finally {
      await sql`delete from user_ip_addresses`;
    }
  });

  it('B2 no live key is anywhere in the database or in a log', async () => {
    const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
    for (const { name } of tables) {
      const rows = await sql`select t::text as text from ${sql(name)} t`;
      expect(rows.map(({ text }) => String(text)).join('\n')).not.toContain(cluster.adminKey);
    }
    expect(await cluster.logs()).not.toContain(cluster.adminKey);
  });
});
