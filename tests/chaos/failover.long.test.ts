import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCuttableProxy, type CuttableProxy } from '../harness/cuttable-proxy.ts';
import { eventually } from '../harness/eventually.ts';
import type { OutageLoad } from '../harness/outage-load.ts';
import { startOutageWorld, type OutageWorld } from '../harness/outage-world.ts';
import { startPrimaryAndStandby, type PrimaryAndStandby } from '../harness/standby.ts';

let servers: PrimaryAndStandby;
/** The address of the database, which moves from one server to the other. */
let address: CuttableProxy;
let world: OutageWorld;
let load: OutageLoad;

/** What is to be closed after a test, the last one first. */
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-failover-'));
  closers.push(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o755);
  servers = await startPrimaryAndStandby(directory, closers);
  address = await startCuttableProxy(servers.primary.url);
  closers.push(() => address.close());
  world = await startOutageWorld(address.url);
  closers.push(() => world.close());
  load = await world.load('made');
  closers.push(() => load.stop());
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

describe('E12 a standby that is promoted under calls, pages and pushes', { timeout: 180_000 }, () => {
  it('goes on with all within seconds when the primary dies', async () => {
    await servers.primary.kill();
    await servers.promote();
    address.redirect(servers.standby.url);
    address.cut();
    expect(await world.findFaults(load)).toEqual([]);
  });

  it('goes on with all, and nothing reaches the former primary any more, when that lives on with its connections', async () => {
    const { cluster, logHas } = world;
    const former = postgres(servers.primary.url, { max: 1 });
    const ours = () => former`select from pg_stat_activity where application_name ~ '^(gateway|vcs-worker) '`;
    address.redirect(servers.standby.url);
    await logHas('"msg":"the database is read-only"');
    await eventually(ours, (rows) => rows.length === 0);
    const started = cluster.startWorker();
    await logHas('waits for the database, which is read-only');

    await servers.promote();
    expect((await started).ready).toBeDefined();
    expect(await world.findFaults(load)).toEqual([]);
    expect((await ours()).length).toBe(0);
    await former.end();
  });
});
