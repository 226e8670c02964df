import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp, startPostgres } from '@trunkline/local';
import postgres from 'postgres';
import { afterAll, beforeAll, it } from 'vitest';
import * as v from 'valibot';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { cpuMsOf, readProcesses } from '../harness/process-figures.ts';
import { loadSeconds, roundCount, seed } from './bench-form.ts';
import { apiRequest, type SampleFactory } from './load/bench-request.ts';
import { openLoad, type LoadFigures, type OpenLoad } from './load/open-load.ts';
import { pickFrom } from './load/pick.ts';
import { atShare, median, report } from './median.ts';
import { addRepositories, addUsers } from './stage-data.ts';

const ways = ['alone', 'together', 'batched'] as const;
const [gatewayCount, workerCount, repositories] = [2, 3, 100];
/** Bytes of an answer, as those of small calls. */
const answerBytes = 500;
const script = (name: string) => fileURLToPath(new URL(`baseline/${name}.mjs`, import.meta.url));
const Ready = v.object({ port: v.number() });
const Counts = v.object({ turns: v.number(), commands: v.number() });

interface Measured extends LoadFigures {
  readonly cpuMsPerCall: number;
}
/** A load, and the processes that serve it. */
interface Subject {
  readonly load: OpenLoad;
  readonly pids: readonly number[];
}

let directory: string;
let database: Awaited<ReturnType<typeof startPostgres>>;
let cluster: Cluster;
let bare: Awaited<ReturnType<typeof startApp>>[] = [];
let bareUrls: string[];
let subjects: Map<string, Subject>;

const start = (name: string, count: number, env: Readonly<Record<string, string>>) =>
  Promise.all(Array.from({ length: count }, () => startApp({ entry: script(name), env })));

async function startBare(): Promise<Subject['pids']> {
  const secret = randomBytes(32).toString('hex');
  const env = { NATS_URL: cluster.nats.url, DATABASE_URL: cluster.databaseUrl, SECRET: secret };
  const workers = await start('batch-worker', workerCount, { ...env, ANSWER_BYTES: String(answerBytes) });
  const gateways = await start('batch-gateway', gatewayCount, env);
  bare = [...gateways, ...workers];
  bareUrls = gateways.map(({ ready }) => `http://127.0.0.1:${v.parse(Ready, ready).port}`);
  return bare.map(({ pid }) => pid);
}

beforeAll(async () => {
  process.stdout.write(`TRUNKLINE_TEST_SEED=${seed}\n`);
  directory = await mkdtemp(join(tmpdir(), 'trunkline-batch-'));
  // Postgres runs as an unprivileged user when the benchmarks run as root.
  await chmod(directory, 0o755);
  database = await startPostgres({ dataDir: join(directory, 'postgres') });
  cluster = await startCluster({ postgresUrl: database.url, gateways: gatewayCount, workers: workerCount });
  const { people, admins } = await addUsers(createClient(cluster.baseUrl, cluster.adminKey));
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  const repositoryIds = await addRepositories(sql, people, repositories);
  await sql.end();
  const servers = [cluster.nats.pid, database.pid];
  const barePids = [...(await startBare()), ...servers];
  const pids = [...cluster.gateways, ...cluster.workers].map(({ pid }) => pid).concat(servers);
  const calls: Readonly<Record<string, SampleFactory>> = {
    test: (random) => () =>
      apiRequest('test', pickFrom(admins, random).key, 'test', { args: `${random.below(2 ** 31)}` }),
    get_repo: (random) => () =>
      apiRequest('get_repo', pickFrom(people, random).key, 'get_repo', { repoid: pickFrom(repositoryIds, random) }),
  };
  const bareSample =
    (path: string): SampleFactory =>
    (random) =>
    () => ({ ...apiRequest('bare', '', 'bare', { nonce: `${random.below(2 ** 31)}`.padEnd(300) }), path });
  subjects = new Map([
    ...Object.entries(calls).map(
      ([name, sample]) => [name, { load: openLoad(cluster.baseUrls, seed, sample), pids }] as const,
    ),
    ...ways.map(
      (way) => [`bare, ${way}`, { load: openLoad(bareUrls, seed, bareSample(`/${way}`)), pids: barePids }] as const,
    ),
  ]);
}, 300_000);
afterAll(async () => {
  for (const { load } of subjects.values()) load.close();
  await Promise.all(bare.map((app) => app.kill()));
  await cluster.stop();
  await database.stop();
  await rm(directory, { recursive: true, force: true });
});

async function cpuOf(pids: readonly number[]): Promise<number> {
  const table = await readProcesses();
  return pids.reduce((sum, pid) => sum + cpuMsOf(table, pid), 0);
}

async function measure({ load, pids }: Subject): Promise<Measured> {
  const before = await cpuOf(pids);
  const figures = await load.run(loadSeconds);
  return { ...figures, cpuMsPerCall: ((await cpuOf(pids)) - before) / figures.served };
}

async function commandsInOneMessage(): Promise<number> {
  const counts = await Promise.all(
    bareUrls.map(async (url) => v.parse(Counts, await (await fetch(`${url}/counts`)).json())),
  );
  const sumOf = (figureOf: (one: (typeof counts)[number]) => number) =>
    counts.reduce((sum, one) => sum + figureOf(one), 0);
  return sumOf(({ commands }) => commands) / sumOf(({ turns }) => turns);
}

it(`${gatewayCount} gateways and ${workerCount} workers`, async () => {
  const measured = new Map<string, Measured[]>([...subjects.keys()].map((name) => [name, []]));
  for (const subject of subjects.values()) await measure(subject);
  for (let round = 0; round < roundCount; round += 1) {
    for (const [name, subject] of subjects) measured.get(name)?.push(await measure(subject));
  }
  for (const [name, rounds] of measured) {
    const of = (figureOf: (one: Measured) => number) => median(rounds.map(figureOf));
    report(
      name,
      {
        'CPU ms per call': of(({ cpuMsPerCall }) => cpuMsPerCall),
        'calls/s': of(({ served, seconds }) => served / seconds),
        'p50 ms': of(({ times }) => atShare([...times.values()].flat(), 0.5)),
        'p99 ms': of(({ times }) => atShare([...times.values()].flat(), 0.99)),
      },
      seed,
    );
  }
  report('commands in one message', { mean: await commandsInOneMessage() }, seed);
}, 600_000);
