import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createDatabase } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { caught } from '../harness/caught.ts';
import { uniqueAscii } from '../harness/unique-name.ts';

let url: string;
let observer: postgres.Sql;
let server: Server | undefined;

beforeAll(async () => {
  url = await createDatabase(inject('postgresUrl'), uniqueAscii('driver'));
  observer = postgres(url, { max: 1 });
});
afterAll(() => observer.end());
afterEach(() => server?.close());

/** Starts a server that passes each connection to `accept`; returns a database URL with its port. */
async function listen(accept: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => accept(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = new URL(url);
  through.port = String(typeof address === 'object' && address ? address.port : 0);
  return through.href;
}

/** Forwards to Postgres, and resets the connection when a client queries the types. */
function resetAtTypes(socket: Socket): void {
  const upstream = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  upstream.pipe(socket);
  socket.on('close', () => upstream.destroy());
  socket.on('data', (bytes) => (bytes.includes('pg_type') ? socket.resetAndDestroy() : upstream.write(bytes)));
}

/** The driver's types leave the function out. */
const closeAll = (client: postgres.Sql) => (client as postgres.Sql & { close(): Promise<void> }).close();
const pidOf = async (sql: postgres.Sql): Promise<number> => {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
};
const sleepers = () =>
  observer`select pid from pg_stat_activity where query like 'select pg_sleep(9%' and state = 'active'`;
const terminate = (pid: number) => observer`select pg_terminate_backend(${pid})`;

describe('E12 a connection that is lost', () => {
  it('while it queries the types of the database: its query fails, and the process continues', async () => {
    const unhandled = vi.fn();
    process.once('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const client = postgres(await listen(resetAtTypes), { max: 1, connect_timeout: 1 });
    await expect(client`select 1`.execute()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await client.end({ timeout: 1 });
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('in a transaction: all queries of the transaction fail, also those not sent yet', async () => {
    const client = postgres(url, { max: 1 });
    const pid = await pidOf(client);
    const queries: Promise<unknown>[] = [];
    const transaction = client.begin(async (tx) => {
      queries.push(tx`select pg_sleep(9)`.execute());
      // The driver describes the first query before it sends that; the others wait for the description.
      for (const value of [1, 2, 3]) queries.push(tx.unsafe('select $1::int', [value]).execute());
      await Promise.all(queries);
    });
    await eventually(sleepers, (rows) => rows.length > 0);
    // The connection may be lost before the reply of `terminate` has come.
    const lost = caught(transaction);
    await terminate(pid);
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    const outcomes = await Promise.allSettled(queries);
    expect(outcomes).toMatchObject(queries.map(() => ({ reason: { code: 'CONNECTION_CLOSED' } })));
    await client.end();
  });

  it('while the pool ends: the pool ends', async () => {
    const client = postgres(url, { max: 1 });
    const pid = await pidOf(client);
    const running = client`select pg_sleep(9)`.execute();
    await eventually(sleepers, (rows) => rows.length > 0);
    const ended = client.end();
    const lost = caught(running);
    await terminate(pid);
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await ended;
  });
});

it('E12 a pool whose connections were closed opens them anew, also those that were not open', async () => {
  const client = postgres(url, { max: 2 });
  await closeAll(client);
  const pid = await pidOf(client);
  const { one, closed } = await client.begin(async (tx) => {
    await tx`select 1`;
    const closing = closeAll(client);
    return { one: await tx`select 1 as one`, closed: closing };
  });
  await closed;
  expect(one).toEqual([{ one: 1 }]);
  await eventually(
    () => observer`select from pg_stat_activity where pid = ${pid}`,
    (rows) => rows.length === 0,
  );
  const pids = await Promise.all([1, 2].map(() => client.begin(async (tx) => (await tx`select pg_backend_pid()`)[0])));
  expect(new Set(pids.map((row) => row?.['pg_backend_pid'])).size).toBe(2);
  await client.end();
});

describe('E12 a connection that cannot be used', () => {
  it('since its query of the types failed is closed, and the next one has the types', async () => {
    const client = postgres(url, { max: 1, connection: { lock_timeout: 100 } });
    await observer.begin(async (tx) => {
      await tx`lock table pg_catalog.pg_type in access exclusive mode`;
      await expect(client`select 1`.execute()).rejects.toMatchObject({ code: '55P03' });
    });
    expect(await client`select '{a,b}'::text[] as list`).toEqual([{ list: ['a', 'b'] }]);
    await client.end();
  });

  it('since the server closes it at once is retried at intervals, until the timeout of connecting', async () => {
    let attempts = 0;
    const through = await listen((socket) => {
      attempts += 1;
      socket.end();
    });
    const client = postgres(through, { max: 1, connect_timeout: 1, backoff: () => 0.1 });
    await expect(client`select 1`.execute()).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' });
    expect(attempts).toBeGreaterThan(1);
    // Without a pause there would be hundreds.
    expect(attempts).toBeLessThanOrEqual(30);
    await client.end({ timeout: 1 });
  });
});
