import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { mainReference, someFile } from '../harness/unique-name.ts';

const run = promisify(execFile);
const types = ['hg', 'git'] as const;
const megabyte = 2 ** 20;

function mayMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', directory], { stdio: 'ignore' });
    execFileSync('umount', [directory]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(directory);
  }
}

const able = mayMount();
if (!able) console.warn('C8 is not tested: only root may mount the small file system that it takes');

let disk: string;
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let remotes: Record<'hg' | 'git', Remote>;
const firstIds = { hg: '', git: '' };
const laterIds = { hg: '', git: '' };

interface Info {
  readonly storage: { readonly state: string; readonly free_bytes: number; readonly total_bytes: number };
}

/** Fills the disk, except for `leaving` bytes. */
async function fill(leaving = 0): Promise<void> {
  const handle = await open(join(disk, 'filler'), 'a');
  const zeros = Buffer.alloc(64 * 1024);
  const writeOn = async (): Promise<never> => {
    for (;;) await handle.write(zeros);
  };
  try {
    await expect(writeOn()).rejects.toThrow('ENOSPC');
    await handle.truncate((await handle.stat()).size - leaving);
  } finally {
    await handle.close();
  }
}

const makeSpace = () => rm(join(disk, 'filler'));
const remount = (how: 'ro' | 'rw') => run('mount', ['-o', `remount,${how}`, disk]);
const nothingLeft = () =>
  eventually(
    () => findInconsistencies(sql, disk),
    (found) => found.length === 0,
  );
const becomes = (state: string) =>
  eventually(
    () => admin.result<Info>('get_server_info'),
    ({ storage }) => storage.state === state,
  );

async function metrics(): Promise<string> {
  return (await Promise.all(cluster.metricsUrls.map(async (url) => (await fetch(url)).text()))).join('\n');
}

async function expectOldState(type: 'hg' | 'git'): Promise<void> {
  const old = { last_changeset: { raw_id: firstIds[type] } };
  expect(await admin.result('get_repo', { repoid: type })).toMatchObject(old);
  expect(await admin.result('get_repo_nodes', { repoid: type, revision: 'tip', root_path: '' })).toEqual([
    { name: someFile, type: 'file' },
  ]);
  expect(await admin.result('get_changesets', { repoid: type })).toMatchObject([{ raw_id: firstIds[type] }]);
  await admin.result('get_repo_refs', { repoid: type });
}

describe.skipIf(!able)('a storage that cannot be written', () => {
  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), 'trunkline-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
    await chmod(disk, 0o755);
    remotes = { hg: await makeRemote.hg(), git: await makeRemote.git() };
    cluster = await startCluster({
      postgresUrl: inject('postgresUrl'),
      gateways: 1,
      workers: 1,
      storageRoot: disk,
      env: {
        TRUNKLINE_LEASE_SECONDS: '3',
        TRUNKLINE_STORAGE_PROBE_SECONDS: '1',
        TRUNKLINE_STORAGE_FREE_BYTES_MIN: '65536',
      },
    });
    admin = createClient(cluster.baseUrl, cluster.adminKey);
    sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
    for (const type of types) {
      firstIds[type] = await remotes[type].commit({ [someFile]: '1\n' });
      await admin.result('create_repo', { repo_name: type, repo_type: type, clone_uri: remotes[type].url });
      laterIds[type] = await remotes[type].commit({
        [`big-${someFile}`]: randomBytes(4 * megabyte).toString('latin1'),
      });
    }
  });

  afterAll(async () => {
    await sql.end();
    await cluster.kill();
    await Promise.all(types.map((type) => remotes[type].close()));
    await run('umount', [disk]);
    await rm(disk, { recursive: true });
  });

  async function expectNothingCanBeMade(type: 'hg' | 'git', reason: string): Promise<void> {
    const failed = `failed to create repository \`new-${type}\`: ${reason}`;
    expect(await admin.error('create_repo', { repo_name: `new-${type}`, repo_type: type })).toBe(failed);
    const importing = { repo_name: `new-${type}`, repo_type: type, clone_uri: remotes[type].url };
    expect(await admin.error('create_repo', importing)).toBe(failed);
    // Once a probe has found the storage full, no fork begins.
    expect([
      `failed to fork repository \`${type}\` as \`new-${type}\`: ${reason}`,
      'Storage `default` is full',
    ]).toContain(await admin.error('fork_repo', { repoid: type, fork_name: `new-${type}` }));
    expect(await admin.error('pull', { repoid: type })).toBe(`Unable to pull changes from \`${type}\`: ${reason}`);
    await expectOldState(type);
  }

  it('C8 full: writes fail with their own errors, leave nothing behind, and monitoring shows it', async () => {
    await fill();
    for (const type of types) await expectNothingCanBeMade(type, 'the storage is full');
    await nothingLeft();
    expect((await becomes('full')).storage.free_bytes).toBeLessThan(megabyte);
    const text = await metrics();
    expect(text).toContain('trunkline_storage_ok{storage="default",reason="full"} 0');
    for (const kind of ['create', 'import', 'pull']) {
      expect(text).toContain(`trunkline_operations_failed_total{kind="${kind}",reason="storage-full"}`);
    }
    expect((await fetch(`${cluster.baseUrl}/readyz`)).status).toBe(200);
    await makeSpace();
    await becomes('ok');
  });

  it.each(types)(
    'C8 full in the middle of a pull: %s is readable as it was, and the next pull succeeds',
    async (type) => {
      await fill(2 * megabyte);
      expect(await admin.error('pull', { repoid: type })).toBe(
        `Unable to pull changes from \`${type}\`: the storage is full`,
      );
      await expectOldState(type);
      await makeSpace();
      await expectOldState(type);
    },
  );

  /** Pushes the later changeset; returns what the client prints. */
  async function push(type: 'hg' | 'git'): Promise<string> {
    const url = `http://api-key:${cluster.adminKey}@${new URL(cluster.baseUrl).host}/${type}`;
    const { directory } = remotes[type];
    const pushed = type === 'git' ? git(directory, 'push', url, `HEAD:${mainReference}`) : hg(directory, 'push', url);
    return pushed.catch((error: unknown) => String(error));
  }

  it.each<['hg' | 'git', number, string]>([
    ['git', 2 * megabyte, 'while the pack arrives'],
    ['hg', 2 * megabyte, 'while the bundle arrives'],
    ['hg', 9 * megabyte, 'while the bundle is applied'],
  ])('C8 full in the middle of a push into %s with %i bytes left, %s', async (type, bytes, _when) => {
    await fill(bytes);
    expect(await push(type)).toContain('the storage is full');
    await expectOldState(type);
    await makeSpace();
    await expectOldState(type);
    await nothingLeft();
  });

  it('C8 read-only: writes fail with their own errors, and nothing is deleted', async () => {
    await remount('ro');
    for (const type of types) {
      await expectNothingCanBeMade(type, 'the storage is read-only');
      expect(await admin.error('delete_repo', { repoid: type })).toBe(`failed to delete repository \`${type}\``);
      await expectOldState(type);
    }
    await becomes('read-only');
    expect(await metrics()).toContain('trunkline_storage_ok{storage="default",reason="read-only"} 0');
    await remount('rw');
    await becomes('ok');
    await nothingLeft();
  });

  it.each(types)('C8 with free space again, everything that failed succeeds: %s', async (type) => {
    await admin.result('create_repo', { repo_name: `new-${type}`, repo_type: type });
    await admin.result('pull', { repoid: type });
    const newest = { last_changeset: { raw_id: laterIds[type] } };
    expect(await admin.result('get_repo', { repoid: type })).toMatchObject(newest);
    await admin.result('fork_repo', { repoid: type, fork_name: `fork-${type}` });
    expect(await admin.result('get_repo', { repoid: `fork-${type}` })).toMatchObject(newest);
    await admin.result('delete_repo', { repoid: type, forks: 'delete' });
    await nothingLeft();
  });
});
