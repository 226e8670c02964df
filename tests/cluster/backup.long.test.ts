import { execFile, spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { openDirectorySink } from '../../apps/trunklinectl/src/backup/directory-sink.ts';
import { noFormer } from '../../apps/trunklinectl/src/backup/former-backup.ts';
import { makeBackup } from '../../apps/trunklinectl/src/backup/make-backup.ts';
import { readManifest } from '../../apps/trunklinectl/src/backup/manifest.ts';
import { whileTrashIsHeld } from '../../apps/trunklinectl/src/backup/while-trash-is-held.ts';
import { readBackupConfig } from '../../apps/trunklinectl/src/config.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeRemote } from '../harness/remotes.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';
import { someFile } from '../harness/unique-name.ts';

// A backup or a restore takes ten times as long beside twenty busy processes.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let source: Cluster;
let target: Cluster;
let admin: Client;
let directory: string;
let remote: Awaited<ReturnType<typeof makeRemote.git>>;

const envOf = ({ database, nats }: Cluster) => ({
  TRUNKLINE_DATABASE_URL: database.workerUrl,
  TRUNKLINE_MIGRATE_URL: database.ownerUrl,
  TRUNKLINE_NATS_URL: nats.workerUrl,
  TRUNKLINE_SECRET: source.secret,
});
const ctl = (cluster: Cluster, ...words: string[]) => trunklinectl(['--json', ...words], { env: envOf(cluster) });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-backup-'));
  const common = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 };
  // Sweeps come often, and remove at once what nobody holds.
  const env = { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_TRASH_DAYS: '0' };
  source = await startCluster({ ...common, storages: ['second'], env });
  target = await startCluster({ ...common, env: { TRUNKLINE_SECRET: source.secret } });
  admin = createClient(source.baseUrl, source.adminKey);
  remote = await makeRemote.git();
  const hg = await makeRemote.hg();
  for (const one of [remote, hg]) await one.commit({ [someFile]: 'x'.repeat(5_000) });
  await admin.result('create_user', { username: 'ann', email: 'ann@localhost', password: 'secret of ann' });
  await admin.result('create_user_group', { group_name: 'makers' });
  await admin.result('add_user_to_user_group', { usergroupid: 'makers', userid: 'ann' });
  const create = (name: string, type: string, url: string) =>
    admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: url, private: name.endsWith('hg') });
  for (const name of ['team/git', 'moving', 'doomed']) await create(name, 'git', remote.url);
  await create('team/hg', 'hg', hg.url);
  await admin.result('create_repo', { repo_name: 'empty', repo_type: 'hg' });
  await admin.result('grant_user_permission', { repoid: 'team/hg', userid: 'ann', perm: 'repository.write' });
  await hg.close();
});
afterAll(async () => {
  await remote.close();
  await Promise.all([source.stop(), target.stop()]);
  await rm(directory, { recursive: true, force: true });
});

/** Asks for what the API tells of an instance, beside where it is and how much its disk takes. */
async function answersOf(cluster: Cluster, names: readonly string[]) {
  const client = createClient(cluster.baseUrl, source.adminKey);
  const all = ['get_repo_groups', 'get_users', 'get_user_groups'];
  const lists = await Promise.all(all.map((method) => client.result(method)));
  const repositories = await Promise.all(
    names.map(async (repoid) => {
      const found = await client.result<Record<string, unknown>>('get_repo', { repoid });
      return { ...found, clone_url: '', storage: '', size_bytes: 0 };
    }),
  );
  const changesets = await Promise.all(names.map((repoid) => client.result('get_changesets', { repoid })));
  return { lists, repositories, changesets, user: await client.result('get_user', { userid: 'ann' }) };
}

const kept = ['team/git', 'team/hg', 'empty'];

it('brings rows of one moment, and repositories of that moment or later, to an instance with other storages', async () => {
  const first = await ctl(source, 'backup', directory);
  expect(first).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(first.stdout)).toMatchObject({ repositories: 5, kept: 0 });
  const modes = await Promise.all(['', 'manifest.json'].map((name) => stat(join(directory, name))));
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);

  const before = await answersOf(source, kept);
  const live = join(directory, 'live');
  await mkdir(live);
  const sink = openDirectorySink(live);
  let changed: Promise<unknown> | undefined;
  /** Once the snapshot was taken: one repository gets changesets, one goes to a trash that is emptied at once. */
  const change = async () => {
    await remote.commit({ [someFile]: 'later' });
    await admin.result('pull', { repoid: 'moving' });
    await admin.result('delete_repo', { repoid: 'doomed' });
    await admin.result('update_repo', { repoid: 'empty', description: 'changed since' });
  };
  const write = async (name: string, content: Buffer) => {
    await (changed ??= change());
    await sink.write(name, content);
  };
  const to = { sink: { ...sink, write }, former: noFormer, isSlow: false };
  await whileTrashIsHeld(source.database.ownerUrl, (held) =>
    makeBackup(readBackupConfig(envOf(source)), held, to, { err: () => {}, columns: () => null }),
  );
  const manifest = await readManifest(live, null);
  const changes = manifest.repositories.map(({ name, generation, head }) => `${name} +${head.generation - generation}`);
  expect(changes.toSorted()).toEqual(['doomed +0', 'empty +0', 'moving +1', 'team/git +0', 'team/hg +0']);

  expect(await ctl(source, 'restore', directory)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('the table `repositories` has rows'),
  });
  // As `tar -c DIRECTORY | trunklinectl restore -`.
  const tar = spawn('tar', ['-c', '-C', live, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  // At the end of a child, Node.js throws away what nobody has read yet.
  const archive = tar.stdout.pipe(new PassThrough());
  const restored = await trunklinectl(['--json', 'restore', '-'], { env: envOf(target), archive });
  expect(restored).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(restored.stdout)).toMatchObject({ repositories: 5, restored: 5 });
  expect(await answersOf(target, kept)).toEqual(before);
  const here = createClient(target.baseUrl, source.adminKey);
  const tipOf = async (client: Client, repoid: string) =>
    (await client.result<{ last_changeset: { raw_id: string } }>('get_repo', { repoid })).last_changeset.raw_id;
  expect(await tipOf(here, 'moving')).toBe(await tipOf(admin, 'moving'));
  expect(await tipOf(here, 'doomed')).toBe(await tipOf(here, 'team/git'));
  const report = await here.result<{ findings: { kind: string }[] }>('get_consistency_report');
  // The next sweep clears them.
  expect(report.findings.filter(({ kind }) => kind !== 'staging_without_operation')).toEqual([]);
  // What is made from now on collides with nothing.
  await here.result('create_repo', { repo_name: 'new', repo_type: 'git' });
  await here.result('pull', { repoid: 'team/git' });
  const verified = await ctl(target, 'verify', '--all');
  expect(verified).toMatchObject({ exitCode: 0 });
});

it('refuses by name a file that is damaged or missing, and what has no manifest', async () => {
  const check = () => ctl(target, 'restore', '--check', directory);
  expect(await check()).toMatchObject({ exitCode: 0 });
  const { repositories } = await readManifest(directory, null);
  const name = String(repositories[0]?.files[0]?.name);
  const path = join(directory, name);
  const content = await readFile(path);
  const flipped = Buffer.from(content);
  const at = Math.floor(content.length / 2);
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  await writeFile(path, flipped);
  const damaged = { exitCode: 1, stderr: expect.stringContaining(`\`${name}\` of the backup is damaged\n`) };
  expect(await check()).toMatchObject(damaged);
  expect(await ctl(target, 'restore', directory)).toMatchObject(damaged);
  await rename(path, `${path}.away`);
  expect(await check()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`\`${name}\` of the backup is missing\n`),
  });
  await rename(join(directory, 'manifest.json'), join(directory, 'manifest.away'));
  expect(await check()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no complete backup') });
});

it('writes a stream that tar makes a directory of, and lets no second backup run beside one', async () => {
  const archive = join(directory, 'archive.tar');
  const output = createWriteStream(archive);
  const streamed = await trunklinectl(['--json', 'backup', '-'], { env: envOf(source), output });
  output.end();
  await finished(output);
  expect(streamed).toMatchObject({ exitCode: 0, stdout: '' });
  const read = await trunklinectl(['restore', '--check', '-'], { env: {}, archive: createReadStream(archive) });
  expect(read).toMatchObject({ exitCode: 0 });
  const unpacked = await mkdtemp(join(directory, 'unpacked-'));
  await promisify(execFile)('tar', ['-x', '-C', unpacked, '-f', archive]);
  expect(await ctl(target, 'restore', '--check', unpacked)).toMatchObject({ exitCode: 0 });

  const again = await ctl(source, 'backup', unpacked);
  expect(JSON.parse(again.stdout)).toMatchObject({ repositories: 4, kept: 4 });
  const sql = postgres(source.databaseUrl, { max: 1 });
  await sql`select pg_advisory_lock(7236404::bigint)`;
  expect(await ctl(source, 'backup', unpacked)).toMatchObject({
    exitCode: 1,
    stderr: 'another backup is being made\n',
  });
  await sql.end();
});
