import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient, post, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { byForm } from '../harness/long-form.ts';

const repositories = 2_000;
const entries = 10_000;
const answerBytesMin = 20_000_000;
const unavailable = 'Service is temporarily unavailable, try again later';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let sockets: Socket[] = [];

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 0,
    maxPayloadBytes: 1024 * 1024,
  });
  // The first worker creates the administrator and the storage.
  const first = await cluster.startWorker();
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await sql`insert into names (path, kind) select 'r' || i, 'repository' from generate_series(1, ${repositories}::int) i`;
  await sql`
    insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics)
    select gen_random_uuid(), 'r' || i, 'git', 'ready', s.id, 'r' || i, false, repeat(md5(i::text) || 'ü"', 300), u.id,
      'tip', false, false, false
    from generate_series(1, ${repositories}::int) i, storages s, users u where u.admin`;
  await sql`
    insert into audit_log (request_id, actor_id, actor, ip, method, args, outcome)
    select gen_random_uuid(), 1, 'somebody', '10.0.0.1', 'update_repo',
      jsonb_build_object('description', repeat(md5(i::text) || 'ü"', 60)), 'succeeded'
    from generate_series(1, ${entries}::int) i`;
  await first.stop();
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
});

let worker: Awaited<ReturnType<Cluster['startWorker']>>;
beforeEach(async () => {
  worker = await cluster.startWorker();
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await worker.stop();
});

const callOf = (method: string, args: object) => JSON.stringify({ id: 'X', api_key: cluster.adminKey, method, args });
/** A call whose answer is made in one piece. */
const call = () => callOf('get_audit_log', { method: 'update_repo', limit: entries });

/** Calls for the large answer again while a busy machine takes longer for it than the time limit of the lane. */
const postWhole = () =>
  eventually(
    () => post(cluster.baseUrl, call()),
    ({ text }) => !text.includes(unavailable),
  );

/** Opens a call as `openCall` does, and waits until its answer has begun; again while it is not in time. */
async function beginCall(body = call()) {
  for (;;) {
    const one = openCall(body);
    if (!(await one.begun).includes(unavailable)) return one;
  }
}

/** Requests the large answer on a raw socket, and stops reading after the first chunk. */
function openCall(body = call()) {
  const { hostname, port } = new URL(cluster.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /_admin/api HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const chunks: Buffer[] = [];
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const begun = new Promise<Buffer>((resolve) => {
    socket.on('data', (chunk) => {
      if (chunks.push(chunk) > 1) return;
      socket.pause();
      resolve(chunk);
    });
  });
  sockets.push(socket);
  return {
    socket,
    begun,
    /** Reads until the connection ends; returns the announced length of the body, and the body. */
    async readOn() {
      socket.resume();
      await closed;
      const all = Buffer.concat(chunks);
      const headEnd = all.indexOf('\r\n\r\n');
      const [, length] = /^Content-Length: (\d+)\r$/im.exec(all.toString('latin1', 0, headEnd + 2)) ?? [];
      return { length: Number(length), body: all.subarray(headEnd + 4) };
    },
  };
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** Expects that the body is the complete answer. */
async function expectWhole(length: number, body: Buffer): Promise<void> {
  expect(body.length).toBe(length);
  expect(length).toBeGreaterThan(answerBytesMin);
  const {
    id,
    result,
    error,
  }: { id: unknown; result: { audit_id: number; args: { description: string } }[]; error: unknown } = JSON.parse(
    body.toString(),
  );
  expect([id, error]).toEqual(['X', null]);
  const stored = await sql`select id::int, md5(args->>'description') as digest from audit_log
    where method = 'update_repo' order by id desc`;
  expect(result.map((one) => [one.audit_id, md5(one.args.description)])).toEqual(
    stored.map((one) => [one['id'], one['digest']]),
  );
}

/** Reads a metric from this address, summed over its labels. */
async function figure(url: string | undefined, name: string): Promise<number> {
  const text = await (await fetch(url ?? '')).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const gatewayUrl = () => cluster.metricsUrls[0];
const workerUrl = () => `http://127.0.0.1:${String(Object(worker.ready).metricsPort)}/metrics`;
const timers = (url: string | undefined) => figure(url, 'nodejs_active_resources{type="Timeout"}');
const residentBytes = (url: string | undefined) => figure(url, 'process_resident_memory_bytes');

describe('E3 an answer of 20 MB', { timeout: 300_000 }, () => {
  it('arrives complete, also several at once, with small answers beside them', async () => {
    const large = Array.from({ length: 3 }, postWhole);
    expect(await admin.result('test', { args: 'small' })).toBe('small');
    for (const { headers, text } of await Promise.all(large)) {
      await expectWhole(Number(headers.get('content-length')), Buffer.from(text));
    }
  });

  it('to slow clients is held back in the worker, not buffered in the gateway', async () => {
    const slow = [await beginCall()];
    const before = await residentBytes(gatewayUrl());
    // One caller has half of the bytes that a worker holds: five of these answers.
    for (let i = 0; i < 4; i += 1) slow.push(await beginCall());
    let most = 0;
    for (let i = 0; i < 20; i += 1) {
      most = Math.max(most, await residentBytes(gatewayUrl()));
      await wait(100);
    }
    expect(most - before).toBeLessThan((4 * answerBytesMin) / 2);
    expect(await residentBytes(workerUrl())).toBeLessThan(1_000_000_000);
    for (const one of slow) {
      const { length, body } = await one.readOn();
      await expectWhole(length, body);
    }
  });

  it('to clients that disconnect leaves nothing behind', async () => {
    const before = [await timers(gatewayUrl()), await timers(workerUrl())];
    for (let i = 0; i < byForm(8, 20); i += 1) {
      const { socket } = await beginCall();
      socket.destroy();
    }
    const after = () => Promise.all([timers(gatewayUrl()), timers(workerUrl())]);
    await eventually(after, (now) => now.every((count, i) => count <= (before[i] ?? 0) + 3), 5);
    expect(await residentBytes(workerUrl())).toBeLessThan(1_000_000_000);
  });

  it('whose worker is killed midway ends with a closed connection, and the next call is served', async () => {
    const [whole, inPages] = await Promise.all([beginCall(), beginCall(callOf('get_repos', {}))]);
    await worker.kill();
    const [cut, cutPages] = await Promise.all([whole.readOn(), inPages.readOn()]);
    expect(cut.length).toBeGreaterThan(answerBytesMin);
    expect(cut.body.length).toBeLessThan(cut.length);
    expect(cutPages.length).toBeNaN();
    // The chunk of length zero is the end of a complete answer.
    expect(cutPages.body.subarray(-5).toString()).not.toBe('0\r\n\r\n');
    worker = await cluster.startWorker();
    const { headers, text } = await postWhole();
    await expectWhole(Number(headers.get('content-length')), Buffer.from(text));
  });

  it('E8 is finished by a worker that is stopped midway', async () => {
    const { readOn } = await beginCall();
    const stopped = worker.stop();
    await eventually(
      () => admin.call('test', { args: 1 }),
      ({ error }) => error === unavailable,
    );
    const { length, body } = await readOn();
    await expectWhole(length, body);
    await stopped;
    expect(await worker.exited).toBe('exit code 0');
  });
});
