import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient } from '../harness/client.ts';
import { chosenSeed } from '../harness/random.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { makeFixture } from '../harness/load-fixture.ts';
import { say as sayFigures } from './median.ts';
import { apiActors } from './soak/api-actors.ts';
import { findGrowth } from './soak/find-growth.ts';
import { rest, sampleFor, sayAll } from './soak/rest.ts';
import { createTally, runActors, type Actor } from './soak/run-actors.ts';
import { startSoakCluster, soakMinutes, type SoakCluster } from './soak/soak-cluster.ts';
import { takeSample } from './soak/take-sample.ts';
import { webActors, type Visitors } from './soak/web-actors.ts';

const seed = chosenSeed();
const warmUpMinutes = Math.min(soakMinutes / 4, 5);
const password = 'correct horse battery';

let soak: SoakCluster;
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
  if (soakMinutes === 0) return;
  soak = await startSoakCluster(inject('postgresUrl'), {
    TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST: 'FilesController:raw,FilesController:archivefile',
  });
  const { cluster } = soak;
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
  if (soakMinutes === 0) return;
  await soak.close();
  await Promise.all([remotes.hg.close(), remotes.git.close()]);
}, 60_000);

const sampleSeconds = 10;

/** Runs the actors for `forMinutes` minutes, and takes samples meanwhile. */
async function load(actors: readonly Actor[], tally: ReturnType<typeof createTally>, forMinutes: number) {
  const stop = new AbortController();
  const acting = runActors(actors, tally, seed, stop.signal);
  const samples = await sampleFor(forMinutes, soak, { seconds: sampleSeconds, act: commitToBoth });
  stop.abort();
  await acting;
  return samples;
}

it(
  `${soakMinutes} minutes of everything at once leave nothing behind`,
  async ({ skip }) => {
    if (soakMinutes === 0) skip('TRUNKLINE_TEST_SOAK_MINUTES is not set');
    say(`TRUNKLINE_TEST_SEED=${seed} TRUNKLINE_TEST_SOAK_MINUTES=${soakMinutes}`);
    const canary = join(soak.directory, 'canary');
    const actors = [...apiActors(stage, canary), ...webActors(stage)];
    const tally = createTally();
    const start = await takeSample(soak);
    await load(actors, tally, warmUpMinutes);
    const warm = await rest(soak);
    const samples = await load(actors, tally, soakMinutes - warmUpMinutes);
    const end = await rest(soak);
    sayAll({ start, warm, end, beside: samples }, sampleSeconds);
    sayFigures('calls', Object.fromEntries(tally.counts));
    expect(tally.wrong).toEqual([]);
    expect(existsSync(canary)).toBe(false);
    expect(await findByteFaults(soak.sql, soak.cluster.storageRoot)).toEqual([]);
    expect(findGrowth(warm, end)).toEqual([]);
  },
  (soakMinutes * 60 + 900) * 1_000,
);
