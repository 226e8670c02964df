import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { chosenSeed } from '../harness/random.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { makeFixture } from '../harness/load-fixture.ts';
import { say as sayFigures } from './median.ts';
import { apiActors } from './soak/api-actors.ts';
import { findGrowth, slopePerHour } from './soak/find-growth.ts';
import { createTally, runActors, type Actor } from './soak/run-actors.ts';
import { takeSample, type Sample, type Sampled } from './soak/take-sample.ts';
import { webActors, type Visitors } from './soak/web-actors.ts';

const minutes = Number(process.env['TRUNKLINE_TEST_SOAK_MINUTES'] ?? 0);
const seed = chosenSeed();
const sampleSeconds = 10;
const warmUpMinutes = Math.min(minutes / 4, 5);
const password = 'correct horse battery';

let cluster: Cluster;
let sampled: Sampled;
let directory: string;
let remotes: Readonly<Record<'hg' | 'git', Remote>>;
let stage: Visitors;
let commits = 0;

const say = (line: string) => process.stdout.write(`${line}\n`);

async function commitToBoth(): Promise<void> {
  commits += 1;
  const files = { 'docs/read.md': `# change ${commits}\n`, [`file-${commits % 50}`]: String(commits) };
  for (const type of ['hg', 'git'] as const) await remotes[type].commit(files, `change ${commits}`);
}

beforeAll(async () => {
  if (minutes === 0) return;
  directory = await mkdtemp(join(tmpdir(), 'trunkline-soak-'));
  const temporary = join(directory, 'tmp');
  await mkdir(temporary);
  const env = {
    TMPDIR: temporary,
    TRUNKLINE_TRASH_DAYS: '0',
    TRUNKLINE_LEASE_SECONDS: '6',
    TRUNKLINE_TRUSTED_PROXIES: '127.0.0.0/8',
    TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST: 'FilesController:raw,FilesController:archivefile',
    // A larger cache fills so slowly that it looks like a leak.
    TRUNKLINE_NODE_CACHE_BYTES: '4194304',
  };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 2, env });
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  sampled = { cluster, sql, temporary };
  remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
  for (const type of ['hg', 'git'] as const) await remotes[type].commit({ 'large.bin': 'x0'.repeat(1 << 22) }, 'large');
  await commitToBoth();
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const fixture = await makeFixture(admin, remotes);
  for (const repoid of fixture.sources) await admin.result('update_repo', { repoid, enable_downloads: true });
  for (const userid of fixture.users) await admin.result('update_user', { userid, password });
  await admin.result('create_user', { username: 'reader', email: 'reader@example.com' });
  const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: 'reader' });
  stage = {
    baseUrls: [cluster.baseUrl, ...cluster.baseUrls.slice(1)],
    adminKey: cluster.adminKey,
    readerKey: api_key,
    fixture,
    remotes,
    usernames: fixture.users,
    password,
  };
}, 180_000);

afterAll(async () => {
  if (minutes === 0) return;
  await sampled.sql.end();
  await cluster.stop();
  await Promise.all([remotes.hg.close(), remotes.git.close()]);
  await rm(directory, { recursive: true, force: true });
}, 60_000);

/** Waits until nothing runs, and until what is kept for a minute without use has been released. */
async function rest(): Promise<Sample> {
  const busy = async () => [
    ...(await findInconsistencies(sampled.sql, cluster.storageRoot)),
    ...Object.entries(await takeSample(sampled)).flatMap(([name, value]) => {
      const remains = ['database locks', 'directories in @staging', 'directories in @trash'].includes(name);
      return remains && value > 0 ? [`${name}: ${value}`] : [];
    }),
  ];
  await eventually(busy, (found) => found.length === 0, 120);
  await wait(65_000);
  return takeSample(sampled);
}

function sayMemory(sample: Sample, seconds: number): void {
  const figures = Object.entries(sample).filter(([name]) => / (?:MB|children|descriptors)$/.test(name));
  sayFigures(`after ${Math.round(seconds / 60)} min`, Object.fromEntries(figures));
}

/** Runs the actors for `forMinutes` minutes, and takes samples meanwhile. */
async function load(actors: readonly Actor[], tally: ReturnType<typeof createTally>, forMinutes: number) {
  const stop = new AbortController();
  const acting = runActors(actors, tally, seed, stop.signal);
  const samples: Sample[] = [];
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  while (seconds() < forMinutes * 60) {
    await Promise.all([commitToBoth(), wait(sampleSeconds * 1_000)]);
    const sample = await takeSample(sampled);
    samples.push(sample);
    if (samples.length % 6 === 0) sayMemory(sample, seconds());
  }
  stop.abort();
  await acting;
  return samples;
}

function sayAll(start: Sample, warm: Sample, end: Sample, samples: readonly Sample[]): void {
  for (const name of Object.keys(end)) {
    const values = samples.map((sample) => sample[name] ?? 0);
    sayFigures(name, {
      'at the start': start[name] ?? 0,
      'after the warm-up': warm[name] ?? 0,
      'at its most': Math.max(...values),
      'at the end': end[name] ?? 0,
      'an hour': slopePerHour(values, sampleSeconds),
    });
  }
}

it(
  `${minutes} minutes of everything at once leave nothing behind`,
  async ({ skip }) => {
    if (minutes === 0) skip('TRUNKLINE_TEST_SOAK_MINUTES is not set');
    say(`TRUNKLINE_TEST_SEED=${seed} TRUNKLINE_TEST_SOAK_MINUTES=${minutes}`);
    const canary = join(directory, 'canary');
    const actors = [...apiActors(stage, canary), ...webActors(stage)];
    const tally = createTally();
    const start = await takeSample(sampled);
    await load(actors, tally, warmUpMinutes);
    const warm = await rest();
    const samples = await load(actors, tally, minutes - warmUpMinutes);
    const end = await rest();
    sayAll(start, warm, end, samples);
    sayFigures('calls', Object.fromEntries(tally.counts));
    expect(tally.wrong).toEqual([]);
    expect(existsSync(canary)).toBe(false);
    expect(await findByteFaults(sampled.sql, cluster.storageRoot)).toEqual([]);
    expect(findGrowth(warm, end)).toEqual([]);
  },
  (minutes * 60 + 900) * 1_000,
);
