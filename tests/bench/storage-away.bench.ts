import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';
import { isShort } from './bench-form.ts';
import { evenly } from './evenly.ts';
import { atShare, report } from './median.ts';

const seconds = isShort ? 2 : 8;
const rounds = isShort ? 1 : 4;
const repositories = 10;
const perSecond = 40;
/** Time after the begin of a measurement at which the workers are killed, in milliseconds. */
const killAfterMs = (seconds * 1_000) / 4;

type Worker = Awaited<ReturnType<Cluster['startWorker']>>;

let cluster: Cluster;
let admin: Client;
let workers: Worker[];

async function startWorkersOf(name: string): Promise<Worker[]> {
  const env = {
    TRUNKLINE_STORAGES: `${name}=${cluster.storageRoots[name]}`,
    TRUNKLINE_STORAGE_CREATE: name === 'second' ? name : '',
    TRUNKLINE_LANES: 'storage,download,transfer,wire,wire-push',
  };
  // The first one claims the storage.
  const first = await cluster.startWorker(env);
  return [first, await cluster.startWorker(env)];
}

const allServed = () =>
  eventually(
    () => readReadiness(cluster.baseUrl),
    ({ missing, unserved }) => missing.length === 0 && unserved?.length === 0,
  );

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, storages: ['second'] });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await cluster.startWorker({ TRUNKLINE_LANES: 'metadata', TRUNKLINE_STORAGES: '', TRUNKLINE_STORAGE_CREATE: '' });
  await startWorkersOf('default');
  workers = await startWorkersOf('second');
  await allServed();
  for (const storage of ['default', 'second']) {
    for (let index = 0; index < repositories; index += 1) {
      await admin.result('create_repo', { repo_name: `${storage}-${index}`, repo_type: 'git', storage });
    }
  }
}, 120_000);
afterAll(() => cluster.stop());

/** Calls for the repositories of a storage: reads of bytes, and a write in turn with each of them. */
const callOf = (storage: string, index: number) => {
  const repoid = `${storage}-${index % repositories}`;
  return index % 2 === 0
    ? admin.call('get_repo_refs', { repoid })
    : admin.call('invalidate_cache', { repoid: `${storage}-${(index + 1) % repositories}` });
};

async function timeDefault(): Promise<number[]> {
  const times: number[] = [];
  await evenly(seconds, perSecond, async (index) => {
    const started = performance.now();
    expect((await callOf('default', index)).error).toBeNull();
    times.push(performance.now() - started);
  });
  return times;
}

/** Times the calls for the first storage while others call for the second one, whose workers are killed meanwhile or not. */
async function measure(kills: boolean): Promise<number[]> {
  const others = evenly(seconds, perSecond, async (index) => {
    await callOf('second', index);
  });
  const kill = wait(killAfterMs).then(() => Promise.all(kills ? workers.map((worker) => worker.kill()) : []));
  const [times] = await Promise.all([timeDefault(), kill]);
  // Calls that a killed worker held end with their time limit.
  await others;
  return times;
}

it('E6 time of calls for one storage while the workers of another one are killed', async () => {
  const whole: number[] = [];
  const away: number[] = [];
  await measure(false);
  for (let round = 0; round < rounds; round += 1) {
    whole.push(...(await measure(false)));
    away.push(...(await measure(true)));
    workers = await startWorkersOf('second');
    await allServed();
  }
  report('calls for one storage, 40/s beside as many for another', {
    'p50 both there ms': atShare(whole, 0.5),
    'p99 both there ms': atShare(whole, 0.99),
    'p50 one killed ms': atShare(away, 0.5),
    'p99 one killed ms': atShare(away, 0.99),
    ratio: atShare(away, 0.99) / atShare(whole, 0.99),
  });
}, 400_000);
