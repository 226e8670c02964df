import { performance } from 'node:perf_hooks';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { evenly } from './evenly.ts';
import { atShare, report } from './median.ts';

const rounds = 4;
const seconds = 6;
/** For how long calls are counted by themselves after the eight have begun all at once. */
const startSeconds = 1;
const perSecond = 50;
const heldNames = Array.from({ length: 8 }, (_, index) => `held-${index}`);
const freeNames = Array.from({ length: 8 }, (_, index) => `free-${index}`);

let cluster: Cluster;
let admin: Client;
const clients: Client[] = [];

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  for (const repo_name of [...heldNames, ...freeNames]) await admin.result('create_repo', { repo_name });
  for (const name of heldNames) {
    const username = `of-${name}`;
    await admin.result('create_user', { username, email: `${username}@example.org`, admin: true });
    const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: username });
    clients.push(createClient(cluster.baseUrl, api_key));
  }
}, 60_000);
afterAll(() => cluster.kill());

const grant = (client: Client, repoid: string) =>
  client.call('grant_user_permission', { repoid, userid: 'default', perm: 'repository.read' });

const calls: Readonly<Record<string, (index: number) => Promise<{ error: unknown }>>> = {
  get_ip: () => admin.call('get_ip', { userid: 'admin' }),
  get_repo: (index) => admin.call('get_repo', { repoid: freeNames[index % freeNames.length] }),
  'grant on others': (index) => grant(admin, freeNames[index % freeNames.length] ?? ''),
};

type Times = Readonly<Record<string, number[]>>;
const noTimes = (): Times => Object.fromEntries(Object.keys(calls).map((name) => [name, []]));

async function timeOthers(times: Times, forSeconds = seconds): Promise<void> {
  const names = Object.keys(calls);
  await evenly(forSeconds, perSecond, async (index) => {
    const name = names[index % names.length] ?? '';
    const started = performance.now();
    const reply = await calls[name]?.(Math.floor(index / names.length));
    expect(reply?.error).toBeNull();
    times[name]?.push(performance.now() - started);
  });
}

/** Runs the work while another transaction holds the rows and each client grants on one of them and on another one in turn. */
async function besideHeldRows(work: () => Promise<void>): Promise<void> {
  const holder = postgres(cluster.databaseUrl, { max: 1 });
  const stopped = new AbortController();
  const loop = async (client: Client, index: number) => {
    while (!stopped.signal.aborted) {
      await grant(client, heldNames[index] ?? '');
      await grant(client, freeNames[index] ?? '');
    }
  };
  let granting: Promise<void>[] = [];
  await holder.begin(async (tx) => {
    await tx`select 1 from repositories where name like 'held-%' for update`;
    granting = clients.map(loop);
    await work();
    stopped.abort();
  });
  await Promise.all(granting);
  await holder.end();
}

it('E6 time of calls beside eight clients that grant on repositories of which half have held rows', async () => {
  const [alone, starts, beside] = [noTimes(), noTimes(), noTimes()];
  await timeOthers(noTimes());
  for (let round = 0; round < rounds; round += 1) {
    await timeOthers(alone);
    await besideHeldRows(async () => {
      await timeOthers(starts, startSeconds);
      await timeOthers(beside);
    });
  }
  for (const name of Object.keys(calls)) {
    const [before, during, first] = [alone[name] ?? [], beside[name] ?? [], starts[name] ?? []];
    report(name, {
      'p50 alone ms': atShare(before, 0.5),
      'p99 alone ms': atShare(before, 0.99),
      'p50 beside ms': atShare(during, 0.5),
      'p99 beside ms': atShare(during, 0.99),
      ratio: atShare(during, 0.99) / atShare(before, 0.99),
      'p50 of first seconds ms': atShare(first, 0.5),
      'max of first seconds ms': Math.max(...first),
    });
  }
}, 180_000);
