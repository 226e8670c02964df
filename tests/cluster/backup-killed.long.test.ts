import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { readManifest } from '../../apps/trunklinectl/src/backup/manifest.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { suspend } from '../harness/suspend.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';

// A backup, a restore and the start of the program take ten times as long beside twenty busy processes.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const patienceSeconds = 90;

const program = join(import.meta.dirname, '../../apps/trunklinectl/bin/trunklinectl.js');
let source: Cluster;
let target: Cluster;
let admin: Client;
let remote: Remote;
let directory: string;
let sourceSql: postgres.Sql;
let targetSql: postgres.Sql;

const envOf = ({ database, nats }: Cluster) => ({
  TRUNKLINE_DATABASE_URL: database.workerUrl,
  TRUNKLINE_MIGRATE_URL: database.ownerUrl,
  TRUNKLINE_NATS_URL: nats.workerUrl,
  TRUNKLINE_SECRET: source.secret,
});
const ctl = (cluster: Cluster, ...words: string[]) => trunklinectl(['--json', ...words], { env: envOf(cluster) });

const pathOf = async (name: string) => {
  const [row] = await sourceSql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  return join(source.storageRoot, String(row?.path));
};

/** A file that Mercurial stores under its own name: other letters than ASCII are encoded in the path. */
const file = 'a';

/** Flips a bit of this file: the history can be read, and some of the content cannot. */
async function damage(name: string): Promise<void> {
  const path = join(await pathOf(name), `.hg/store/data/${file}.i`);
  const content = await readFile(path);
  const at = Math.floor(content.length / 2);
  content[at] = (content[at] ?? 0) ^ 1;
  await chmod(path, 0o644);
  await writeFile(path, content);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-backup-'));
  const common = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 };
  source = await startCluster(common);
  target = await startCluster({ ...common, env: { TRUNKLINE_SECRET: source.secret } });
  sourceSql = postgres(source.databaseUrl, { max: 1 });
  targetSql = postgres(target.databaseUrl, { max: 1 });
  admin = createClient(source.baseUrl, source.adminKey);
  remote = await makeRemote.hg();
  await remote.commit({ [file]: 'x'.repeat(5_000) });
  for (const name of ['pulled', 'broken']) {
    await admin.result('create_repo', { repo_name: name, repo_type: 'hg', clone_uri: remote.url });
  }
  for (const name of ['odd', 'unwanted']) await admin.result('create_repo', { repo_name: name, repo_type: 'git' });
  await damage('broken');
});
afterAll(async () => {
  await remote.close();
  await Promise.all([sourceSql.end(), targetSql.end()]);
  await Promise.all([source.stop(), target.stop()]);
  await rm(directory, { recursive: true, force: true });
});

/** Suspends the worker of a cluster while it is in no transaction: a restore would wait for its locks. */
async function suspendWorker(cluster: Cluster): Promise<number> {
  const pid = cluster.workers[0]?.pid ?? 0;
  const sql = cluster === source ? sourceSql : targetSql;
  const standsBetween = async () => {
    await suspend(pid);
    const within = await sql`select from pg_stat_activity
      where datname = current_database() and application_name like 'vcs-worker%' and xact_start is not null`;
    if (within.length > 0) process.kill(pid, 'SIGCONT');
    return within.length === 0;
  };
  await eventually(standsBetween, Boolean);
  return pid;
}

/** Runs the program while the worker stands still, and kills it as soon as `isMidway`. */
async function killMidway(cluster: Cluster, words: readonly string[], isMidway: () => Promise<boolean>): Promise<void> {
  const pid = await suspendWorker(cluster);
  const child = spawn(process.execPath, [program, ...words], { env: envOf(cluster), stdio: 'ignore' });
  const ended = once(child, 'exit');
  await eventually(isMidway, (midway) => midway || child.exitCode !== null, patienceSeconds);
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  process.kill(pid, 'SIGCONT');
}

/** Repositories that are made beside a backup: each of them makes all backups that follow longer. */
const madeMax = 4;

/** Writes until it is told to stop; tells what was acknowledged. */
function writeSteadily() {
  const acknowledged: string[] = [];
  let tip = '';
  const ending = new AbortController();
  const work = (async () => {
    for (let at = 0; !ending.signal.aborted; at += 1) {
      if (at < madeMax) {
        await admin.result('create_repo', { repo_name: `steady-${at}`, repo_type: 'git' });
        acknowledged.push(`steady-${at}`);
      }
      const committed = await remote.commit({ [file]: `change ${at}` });
      await admin.result('pull', { repoid: 'pulled' });
      tip = committed;
    }
  })();
  const stop = async () => {
    ending.abort();
    await work;
  };
  return { acknowledged, tip: () => tip, stop };
}

it('leaves the former backup whole when it is killed, and then has all that was acknowledged before, beside writers', async () => {
  expect(await ctl(source, 'backup', directory)).toMatchObject({ exitCode: 0 });
  const { id, repositories } = await readManifest(directory, null);
  const odd = repositories.find(({ name }) => name === 'odd');
  await killMidway(
    source,
    ['backup', '--full', directory],
    async () => (await readdir(join(directory, 'tables'))).length === 2,
  );
  expect(await ctl(source, 'restore', '--check', directory)).toMatchObject({ exitCode: 0 });
  expect((await readManifest(directory, null)).id).toBe(id);

  // What is neither a file nor a directory is not read.
  await symlink('/', join(await pathOf('odd'), 'link'));
  await sourceSql`update repositories set generation = generation + 1 where name = 'odd'`;
  const writers = writeSteadily();
  await eventually(
    async () => writers.acknowledged.length,
    (count) => count >= 2,
  );
  const before = [...writers.acknowledged];
  const tip = writers.tip();
  const ran = await ctl(source, 'backup', directory);
  await writers.stop();
  expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('`odd` could not be backed up: ') });
  expect(JSON.parse(ran.stdout)).toMatchObject({ missing: ['odd'] });
  const manifest = await readManifest(directory, null);
  expect(manifest.repositories.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['broken', 'pulled', 'unwanted', ...before]),
  );
  expect(manifest.missing).toMatchObject([{ name: 'odd', former: { head: odd?.head, files: odd?.files } }]);
  expect(await readdir(join(directory, 'tables'))).toEqual([manifest.id]);
  const pulled = manifest.repositories.find(({ name }) => name === 'pulled');
  const changesets = await admin.result<{ raw_id: string }[]>('get_changesets', { repoid: 'pulled' });
  const at = (rawId: unknown) => changesets.findIndex((one) => one.raw_id === rawId);
  expect(at(tip)).toBeGreaterThan(0);
  expect(at(pulled?.head.lastChangeset?.rawId)).toBeGreaterThanOrEqual(at(tip));
});

it('restores what it was given, after it was killed, and says what is damaged, missing or left out', async () => {
  const restore = (...options: string[]) => ctl(target, 'restore', directory, ...options);
  expect(await restore()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('`odd`: --accept-missing') });
  expect(await restore('--leave-out', 'nobody')).toMatchObject({ exitCode: 2 });
  const accepted = ['--accept-missing', '--leave-out', 'unwanted'];
  const attempts = () => targetSql`select from operations where kind = 'arrive' and attempt > 0`;
  await killMidway(target, ['restore', directory, ...accepted], async () => (await attempts()).length > 0);
  // What has not arrived would be missing, and the backup at hand is what it comes from.
  expect(await ctl(target, 'backup', '--full', directory)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^\d+ repositories of a restore have not arrived: run `trunklinectl restore` again/),
  });
  // As when the time of the leases has passed.
  await targetSql`update operations set lease_until = now() where kind = 'arrive'`;

  const elsewhere = await restore(...accepted, '--storage', 'default=elsewhere');
  expect(elsewhere).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('an earlier run has chosen') });
  const refused = expect.stringContaining('`broken` could not be restored: The copy of the repository is damaged');
  expect(await restore(...accepted)).toMatchObject({ exitCode: 1, stderr: refused });
  const ran = await restore(...accepted, '--accept-damaged');
  const names = { damaged: ['broken'], former: ['odd'], left_out: ['unwanted'] };
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ restored: 1, ...names });
  const again = await restore(...accepted);
  expect(JSON.parse(again.stdout)).toMatchObject({ restored: 0 });

  const here = createClient(target.baseUrl, source.adminKey);
  const there = await here.result<{ repo_name: string }[]>('get_repos');
  const { repositories } = await readManifest(directory, null);
  const expected = ['odd', ...repositories.flatMap(({ name }) => (name === 'unwanted' ? [] : [name]))];
  expect(there.map(({ repo_name: name }) => name).toSorted()).toEqual(expected.toSorted());
  const damaged = await targetSql`select r.name from repository_verifications v
    join repositories r on r.id = v.repository_id where v.damaged`;
  expect(damaged).toEqual([{ name: 'broken' }]);
});

it('keeps nothing of a backup of another life, and replaces none that it does not know unless it is told to', async () => {
  // The restored instance may go on in the directory; all of it is written anew.
  const restored = await ctl(target, 'backup', directory);
  expect(restored).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(restored.stdout)).toMatchObject({ kept: 0, damaged: ['broken'] });
  expect(await ctl(source, 'backup', directory)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('the database does not know the backup of'),
  });
  await rm(join(await pathOf('odd'), 'link'));
  const full = await ctl(source, 'backup', '--full', directory);
  expect(full).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(full.stdout)).toMatchObject({ kept: 0 });
  const { repositories } = await readManifest(directory, null);
  const again = await ctl(source, 'backup', directory);
  expect(JSON.parse(again.stdout)).toMatchObject({ kept: repositories.length });
});
