import { randomBytes, randomUUID } from 'node:crypto';
import { methods, subjects } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { encodeCommand } from '../../apps/gateway/src/dispatch/encode-command.ts';
import { createClient, post, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { connectGatewayBus } from '../harness/connect-gateway-bus.ts';
import { logLines } from '../harness/log-lines.ts';
import { createWebClient } from '../harness/web-client.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${trace}-00f067aa0ba902b7-01`;

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

beforeAll(async () => {
  const env = { TRUNKLINE_LOG_LEVEL: 'info' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

/** Makes a call with these headers; returns the id of the response's header, and its envelope. */
async function call(method: string, args: unknown, headers: Record<string, string>) {
  const body = JSON.stringify({ id: 1, api_key: cluster.adminKey, method, args });
  const { headers: answered, text } = await post(cluster.baseUrl, body, headers);
  const reply: { result: unknown; error: string | null } = JSON.parse(text);
  return { id: answered.get('x-request-id') ?? '', reply };
}

/** Waits until both the gateway and the worker have logged lines that match; a page makes several calls. */
async function linesOfBoth(matches: (line: Record<string, unknown>) => boolean) {
  const of = (role: string) => logLines(cluster, (line) => line['role'] === role && matches(line), 1);
  return [...(await of('gateway')), ...(await of('vcs-worker'))];
}

const from = (role: string, msg: string, ids: object) => expect.objectContaining({ role, msg, ...ids });

describe('the X-Request-Id and traceparent of a call', () => {
  it('are returned, and stand beside the generated id in the log lines of gateway and worker', async () => {
    const correlationId = `edge/${randomUUID()}`;
    const { id } = await call('get_user', {}, { 'X-Request-Id': correlationId, traceparent });
    expect(id).toBe(correlationId);
    const lines = await logLines(cluster, (line) => line['correlationId'] === correlationId, 2);
    const requestId = lines[0]?.['requestId'];
    expect(requestId).toMatch(uuid);
    const ids = { requestId, correlationId, traceId: trace };
    expect(lines).toHaveLength(2);
    expect(lines).toEqual(
      expect.arrayContaining([from('gateway', 'call', ids), from('vcs-worker', 'call', { ...ids, code: 'ok' })]),
    );
  });

  it.each(['a b', '-', 'x'.repeat(129), '{"level":60}'])(
    'E9 malformed like %j: we name it, and log nothing of it',
    async (sent) => {
      const { id } = await call('get_user', {}, { 'X-Request-Id': sent, traceparent: `00-${trace}-1-01` });
      expect(id).toMatch(uuid);
      const lines = await logLines(cluster, (line) => line['requestId'] === id, 2);
      for (const line of lines) {
        expect(line).not.toHaveProperty('correlationId');
        expect(line).not.toHaveProperty('traceId');
      }
    },
  );

  it('E4 E14 do not determine the id of an operation, nor make a command count as one that has run before', async () => {
    const headers = { 'X-Request-Id': randomUUID() };
    const names = ['first', 'second'];
    for (const repo_name of names) {
      const { reply } = await call('create_repo', { repo_name, repo_type: 'git' }, headers);
      expect(reply.error).toBeNull();
    }
    const rows = await sql`select request_id from audit_log where args->>'repo_name' in ${sql(names)}`;
    const ids = rows.map((row) => String(row['request_id']));
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(headers['X-Request-Id']);
    const [first = ''] = ids;
    expect(await admin.result('get_operation', { operation_id: first })).toMatchObject({ state: 'done' });
    const again = await call('create_user_group', { group_name: 'again' }, { 'X-Request-Id': first });
    expect([again.id, again.reply.error]).toEqual([first, null]);
  });
});

describe('the X-Request-Id and traceparent of a page', () => {
  it('are returned, and stand in its log line and in those of the worker', async () => {
    const web = createWebClient(cluster.baseUrl);
    await web.signIn('admin', 'secret of the first administrator');
    const correlationId = `edge/${randomUUID()}`;
    const page = await web.get('/', { 'X-Request-Id': correlationId, traceparent });
    expect([page.status, page.headers.get('x-request-id')]).toEqual([200, correlationId]);
    const lines = await linesOfBoth((line) => line['correlationId'] === correlationId);
    const ids = { requestId: expect.stringMatching(uuid), correlationId, traceId: trace };
    expect(lines).toEqual(
      expect.arrayContaining([from('gateway', 'page', ids), from('vcs-worker', 'call', { ...ids, code: 'ok' })]),
    );
    expect(new Set(lines.map((line) => line['requestId'])).size).toBe(lines.length);
  });

  it('are generated when the client sends none: log lines of the worker have the id of the page', async () => {
    const page = await createWebClient(cluster.baseUrl).get(`/_admin/journal/rss?api_key=${cluster.adminKey}`);
    const id = page.headers.get('x-request-id');
    expect(id).toMatch(uuid);
    const lines = await linesOfBoth((line) => [line['requestId'], line['correlationId']].includes(id));
    expect(lines).toEqual(
      expect.arrayContaining([
        from('gateway', 'page', { requestId: id }),
        from('vcs-worker', 'call', { correlationId: id }),
      ]),
    );
  });

  it.each(['/_admin/login', '/no/such/page', '/_admin/nothing'])('are returned by %s', async (path) => {
    const answer = await createWebClient(cluster.baseUrl).get(path, { 'X-Request-Id': 'edge-7' });
    expect(answer.headers.get('x-request-id')).toBe('edge-7');
  });
});

describe('the log of a worker', () => {
  const repositoryOf = async (id: string) => {
    const [line] = await logLines(cluster, (one) => one['requestId'] === id && one['role'] === 'vcs-worker', 1);
    return line?.['repositoryId'];
  };

  it('names the repository that a call creates, uses or deletes', async () => {
    const made = await call('create_repo', { repo_name: 'named', repo_type: 'git' }, {});
    const [row] = await sql`select id from repositories where name = 'named'`;
    expect(row?.['id']).toBeTypeOf('number');
    const read = await call('get_repo', { repoid: 'named' }, {});
    const forked = await call('fork_repo', { repoid: 'named', fork_name: 'forked' }, {});
    const [fork] = await sql`select id from repositories where name = 'forked'`;
    const deleted = await call('delete_repo', { repoid: 'forked' }, {});
    const other = await call('get_users', {}, {});
    const found = await Promise.all([made, read, forked, deleted, other].map(({ id }) => repositoryOf(id)));
    expect(found).toEqual([row?.['id'], row?.['id'], fork?.['id'], fork?.['id'], null]);
  });

  it('E2 names the request whose command was refused', async () => {
    const requestId = randomUUID();
    const caller = { userId: 1, ip: '127.0.0.1', credential: { kind: 'key', id: 1 } } as const;
    const request = { args: {}, caller, requestId, correlationId: 'edge-8', timeoutMs: 5_000, sentAt: Date.now() };
    const foreign = createSecretVault(randomBytes(32).toString('hex'));
    const bus = await connectGatewayBus(cluster);
    const command = encodeCommand(foreign, methods.get_user, request);
    await bus.request(subjects.rpc('metadata', null, 'get_user'), command, 30_000);
    await bus.close();
    const [line] = await logLines(cluster, (one) => one['requestId'] === requestId, 1);
    expect(line).toMatchObject({ msg: 'command refused', correlationId: 'edge-8' });
  });
});
