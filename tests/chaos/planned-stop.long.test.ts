import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { startPostgres, type PostgresServer } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import type { OutageLoad } from '../harness/outage-load.ts';
import { startOutageWorld, type OutageWorld } from '../harness/outage-world.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';

let directory: string;
let server: PostgresServer;
let world: OutageWorld;
let load: OutageLoad;

const startServer = (port?: number) =>
  startPostgres({ dataDir: join(directory, 'postgres'), throwaway: false, ...(port === undefined ? {} : { port }) });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-stop-'));
  await chmod(directory, 0o755);
  server = await startServer();
  world = await startOutageWorld(server.url);
});
afterAll(async () => {
  await world.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async ({ task }) => void (load = await world.load(`of-${task.id}`)));
afterEach(() => load.stop());

const endsSoon = () =>
  eventually(
    () => Promise.race([server.exited, Promise.resolve(null)]),
    (ending) => ending !== null,
  );
const missBoth = (name: string) =>
  eventually(
    () => world.missing(),
    (found) => found.every(([first]) => first === name),
  );

/** Starts a backup whose archive nobody takes until it may go on. */
async function startHeldBackup() {
  const { database, nats, secret } = world.cluster;
  const env = {
    TRUNKLINE_DATABASE_URL: database.workerUrl,
    TRUNKLINE_MIGRATE_URL: database.ownerUrl,
    TRUNKLINE_NATS_URL: nats.workerUrl,
    TRUNKLINE_SECRET: secret,
  };
  let goOn = () => {};
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  const write = (_bytes: unknown, _encoding: string, taken: () => void) => void mayGoOn.then(taken);
  const output = new Writable({ write });
  const ended = trunklinectl(['backup', '-'], { env, output });
  await eventually(
    async () => output.writableLength,
    (length) => length > 0,
  );
  return { ended, goOn };
}

describe('E12 Postgres that is stopped under calls, pages and pushes', { timeout: 180_000 }, () => {
  it('in a smart shutdown ends within seconds, and all goes on by itself when it is back, also a worker that starts meanwhile', async () => {
    const { cluster, logHas } = world;
    // As long as a client of others stays, the server is shutting down.
    const other = postgres(server.url, { max: 1, max_lifetime: null });
    const ours = () => other`select from pg_stat_activity where application_name ~ '^(gateway|vcs-worker) '`;
    expect((await ours()).length).toBeGreaterThan(0);
    process.kill(server.pid, 'SIGTERM');

    await eventually(ours, (rows) => rows.length === 0);
    await missBoth('database (shutting down)');
    await logHas('"msg":"the database is shutting down"');
    const metrics = await (await fetch(String(cluster.metricsUrls[0]))).text();
    expect(metrics).toContain('trunkline_dependency_answers{dependency="database"} 0');
    await cluster.workers[1]?.kill();
    const started = cluster.startWorker();
    await logHas('waits for the database, which is shutting down');

    await other.end();
    await endsSoon();
    await logHas('waits for the database, which does not answer (ECONNREFUSED)');
    server = await startServer(server.port);
    expect((await started).ready).toBeDefined();
    expect(await world.findFaults(load)).toEqual([]);
    await logHas('"msg":"the database is back"');
  });

  it('in a smart shutdown ends within seconds beside a backup, which fails', async () => {
    const backup = await startHeldBackup();
    process.kill(server.pid, 'SIGTERM');
    await endsSoon();
    server = await startServer(server.port);
    backup.goOn();
    expect(await backup.ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('the connection that kept the trash was lost: try again'),
    });
    expect(await world.findFaults(load)).toEqual([]);
  });

  it('in a fast shutdown ends at once, and all goes on by itself when it is back', async () => {
    process.kill(server.pid, 'SIGINT');
    await endsSoon();
    await missBoth('database');
    server = await startServer(server.port);
    expect(await world.findFaults(load)).toEqual([]);
  });
});
