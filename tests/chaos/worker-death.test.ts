import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { makeOnDisk } from '../harness/repositories-on-disk.ts';
import { eventually } from '../harness/eventually.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { git, isNativeGitFetch, makeGitRemote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

beforeEach(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_TRANSFER_TIMEOUT: '60' },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 4, onnotice: () => {} });
});

afterEach(async () => {
  await sql.end();
  await cluster.kill();
});

const states = (kind: string) => async () =>
  (await sql<{ state: string; attempt: number }[]>`select state, attempt from operations where kind = ${kind}`).map(
    (row) => ({ ...row }),
  );

/** Starts another worker and kills the first one by SIGKILL. */
async function replaceWorker(): Promise<void> {
  await cluster.startWorker();
  await cluster.workers[0]?.kill();
}

describe('C6 a worker killed in the middle', () => {
  it('of create_repo, while it builds the repository: another worker builds it anew', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'trunkline-slow-hg-'));
    try {
      const hanging = join(directory, 'hg');
      await writeFile(hanging, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
      await cluster.workers[0]?.kill();
      const slow = await cluster.startWorker({ TRUNKLINE_HG_COMMAND: JSON.stringify([hanging]) });
      admin.call('create_repo', { repo_name: 'made', repo_type: 'hg' }).catch(() => {});
      await eventually(states('create'), (rows) => rows[0]?.state === 'running');
      await cluster.startWorker();
      await slow.kill();
      await eventually(states('create'), (rows) => rows[0]?.state === 'done');
      expect(await admin.result('get_repo', { repoid: 'made' })).toMatchObject({ repo_type: 'hg' });
      expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('of an import: another worker finishes it', async () => {
    const gate = { open: false, asked: 0 };
    const remote = await makeGitRemote({
      intercept: async (request) => {
        if (!isNativeGitFetch(request)) return false;
        gate.asked += 1;
        return !gate.open;
      },
    });
    try {
      const rawId = await remote.commit({ [someFile]: '1' });
      admin.call('create_repo', { repo_name: 'copy', repo_type: 'git', clone_uri: remote.url }).catch(() => {});
      await eventually(
        async () => gate.asked,
        (asked) => asked > 0,
      );
      gate.open = true;
      await replaceWorker();
      await eventually(states('import'), (rows) => rows[0]?.state === 'done');
      expect(await admin.result('get_repo', { repoid: 'copy' })).toMatchObject({ last_changeset: { raw_id: rawId } });
      expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
    } finally {
      await remote.close();
    }
  });

  it('of an import whose remote has gone: another worker undoes it, and removes its group', async () => {
    const remote = await makeGitRemote({ intercept: isNativeGitFetch });
    await remote.commit({ [someFile]: '1' });
    admin.call('create_repo', { repo_name: 'new/copy', repo_type: 'git', clone_uri: remote.url }).catch(() => {});
    await eventually(states('import'), (rows) => rows[0]?.state === 'running');
    await remote.close();
    await replaceWorker();
    await eventually(states('import'), (rows) => rows[0]?.state === 'failed');
    expect(await sql`select path from names`).toHaveLength(0);
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('of rescan_repos, whose found repository has gone meanwhile: another worker undoes it, and removes its group', async () => {
    await makeOnDisk.hg(join(cluster.storageRoot, 'team/found'));
    const end = "new.state = 'done' and new.kind = 'adopt'";
    const hold = await holdUpdates({ sql, databaseUrl: cluster.databaseUrl }, 'state on operations', end);
    admin.call('rescan_repos').catch(() => {});
    await hold.reached();
    await rename(join(cluster.storageRoot, 'team/found'), join(cluster.storageRoot, '.away'));
    await replaceWorker();
    await hold.release();
    await eventually(states('adopt'), (rows) => rows[0]?.state === 'failed');
    expect(await sql`select path from names`).toHaveLength(0);
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });

  it('a worker that is stopped during a long import hands it over to another one at once', async () => {
    const gate = { open: false };
    const remote = await makeGitRemote({
      intercept: (request) => isNativeGitFetch(request) && !gate.open,
    });
    try {
      await remote.commit({ [someFile]: '1' });
      admin.call('create_repo', { repo_name: 'copy', repo_type: 'git', clone_uri: remote.url }).catch(() => {});
      await eventually(states('import'), (rows) => rows[0]?.state === 'running');
      await cluster.startWorker();
      gate.open = true;
      await cluster.workers[0]?.stop();
      await eventually(states('import'), (rows) => rows[0]?.state === 'done');
      expect(await git(remote.directory, 'rev-list', '--count', 'HEAD')).toBe('1\n');
    } finally {
      await remote.close();
    }
  });

  it('a worker that is stopped while it asks a remote leaves the call to another one', async () => {
    const gate = { open: false, asked: 0 };
    const remote = await makeGitRemote({
      intercept: () => {
        gate.asked += 1;
        return !gate.open;
      },
    });
    try {
      const rawId = await remote.commit({ [someFile]: '1' });
      const call = admin.result('create_repo', { repo_name: 'copy', repo_type: 'git', clone_uri: remote.url });
      await eventually(
        async () => gate.asked,
        (asked) => asked > 0,
      );
      expect(await states('import')()).toEqual([]);
      await cluster.startWorker();
      gate.open = true;
      await cluster.workers[0]?.stop();
      expect(await call).toMatchObject({ repo: { repo_name: 'copy' } });
      expect(await admin.result('get_repo', { repoid: 'copy' })).toMatchObject({ last_changeset: { raw_id: rawId } });
    } finally {
      await remote.close();
    }
  });
});
