import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { waitingForLocks } from '../harness/waiting-for-locks.ts';

let directory: string;
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

// Leases outlast the test: an operation that ends was ended by its own call, not by a takeover.
const env = { TRUNKLINE_LEASE_SECONDS: '3600', TRUNKLINE_TRANSFER_TIMEOUT: '3', TRUNKLINE_LOG_LEVEL: 'info' };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-cut-off-'));
  // A Mercurial that waits for the gate and then fails.
  const hg = join(directory, 'hg');
  const gate = join(directory, 'gate');
  await writeFile(hg, `#!/bin/sh\nwhile [ ! -e ${gate} ]; do sleep 0.05; done\nexit 1\n`, { mode: 0o755 });
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { ...env, TRUNKLINE_HG_COMMAND: JSON.stringify([hg]) },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 4, onnotice: () => {} });
});

afterEach(async () => {
  await sql.end();
  await cluster.kill();
  await rm(directory, { recursive: true, force: true });
});

const openGate = () => writeFile(join(directory, 'gate'), '');
const makeRepository = (name: string) => admin.result('create_repo', { repo_name: name, repo_type: 'git' });
const running = () => sql`select id from operations where state = 'running'`;
const blocked = () => waitingForLocks(sql);
const some = (rows: readonly unknown[]) => rows.length > 0;
const nothingHalfDone = async () => expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);

/** Makes the deletion of this repository's row fail until the returned function is called. */
async function refuseRemovalOf(name: string): Promise<() => Promise<unknown>> {
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before delete on repositories for each row
      when (old.name = '${name}') execute function refuse();`);
  return () => sql`drop trigger refuse on repositories`;
}

describe('an operation that is cut off in its last step', () => {
  it('C7 E14 of create_repo: a creation that another worker has finished meanwhile is neither undone nor reported as failed', async () => {
    const call = admin.result('create_repo', { repo_name: 'made', repo_type: 'hg' });
    await eventually(running, some);
    const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories`;
    const bytes = join(cluster.storageRoot, row?.path ?? '');
    await mkdir(bytes, { recursive: true });
    await sql`update operations set state = 'done', worker = 'another', attempt = 2`;
    await sql`update repositories set state = 'ready'`;
    await sql`update audit_log set outcome = 'succeeded' where method = 'create_repo'`;
    await openGate();
    expect(await call).toMatchObject({ msg: 'Created new repository `made`', repo: { repo_name: 'made' } });
    expect(existsSync(bytes)).toBe(true);
    expect(await sql`select outcome from audit_log where method = 'create_repo'`).toEqual([{ outcome: 'succeeded' }]);
  });

  it('C6 of delete_repo: the repository is unchanged, with its bytes', async () => {
    await makeRepository('kept');
    const allow = await refuseRemovalOf('kept');
    expect(await admin.error('delete_repo', { repoid: 'kept' })).toBe('failed to delete repository `kept`');
    expect(await admin.result('get_repo', { repoid: 'kept' })).not.toBeNull();
    await nothingHalfDone();
    await allow();
    await admin.result('delete_repo', { repoid: 'kept' });
    await nothingHalfDone();
  });

  it.each(['delete', 'detach'])(
    'C6 of delete_repo with forks, %s: what was asked last is not done later',
    async (forks) => {
      for (const name of ['source', 'fork', 'fork-of-fork']) await makeRepository(name);
      for (const [fork, of] of [
        ['fork', 'source'],
        ['fork-of-fork', 'fork'],
      ] as const) {
        await sql`update repositories set fork_of_id = (select id from repositories where name = ${of}) where name = ${fork}`;
      }
      await refuseRemovalOf(forks === 'delete' ? 'fork' : 'source');
      expect(await admin.error('delete_repo', { repoid: 'source', forks })).toMatch(/^failed to delete repository /);
      expect(await admin.result('get_repo', { repoid: 'source' })).not.toBeNull();
      expect(await admin.result('get_repo', { repoid: 'fork' })).toMatchObject({ fork_of: 'source' });
      await nothingHalfDone();
    },
  );
});

describe('a missing storage', () => {
  it('C5 nothing is deleted, on the disk or in the database', async () => {
    await makeRepository('kept');
    const away = `${cluster.storageRoot}-away`;
    await rename(cluster.storageRoot, away);
    await mkdir(cluster.storageRoot);
    expect(await admin.error('delete_repo', { repoid: 'kept' })).toBe(
      'Service is temporarily unavailable, try again later',
    );
    await rm(cluster.storageRoot, { recursive: true });
    await rename(away, cluster.storageRoot);
    expect(await admin.result('get_repo', { repoid: 'kept' })).not.toBeNull();
    await nothingHalfDone();
  });
});

describe('groups that are created and removed concurrently', () => {
  it('create_repo into a group that is being removed creates the group anew', async () => {
    await makeRepository('group/first');
    await admin.result('delete_repo', { repoid: 'group/first' });
    let call: Promise<unknown> | undefined;
    await sql.begin(async (tx) => {
      await tx`delete from repo_groups where name = 'group'`;
      await tx`delete from names where path = 'group'`;
      call = makeRepository('group/second');
      await eventually(blocked, some);
    });
    await call;
    expect(await sql`select 1 from repo_groups where name = 'group'`).toHaveLength(1);
    await nothingHalfDone();
  });

  it('a failed create_repo keeps a group in which another repository is being created', async () => {
    const call = admin.error('create_repo', { repo_name: 'group/failed', repo_type: 'hg' });
    await eventually(running, some);
    await sql`insert into names (path, kind) values ('group/sub', 'group')`;
    await sql.begin(async (tx) => {
      await tx`insert into repo_groups (name, parent_id, owner_id)
        select 'group/sub', g.id, u.id from repo_groups g, users u where g.name = 'group' and u.admin`;
      await openGate();
      await eventually(blocked, some);
    });
    expect(await call).toBe('failed to create repository `group/failed`');
    expect(await sql`select 1 from repo_groups`).toHaveLength(2);
    await nothingHalfDone();
  });
});

describe('a call that waits for a busy repository', () => {
  beforeEach(async () => {
    await makeRepository('busy');
    await sql`insert into operations (id, kind, repository_id, request, state, worker, attempt, lease_until)
      select gen_random_uuid(), 'pull', id, '{}', 'running', 'another', 1, now() + interval '1 hour' from repositories`;
  });

  it('gets an error in time', async () => {
    expect(await admin.error('pull', { repoid: 'busy' })).toBe('Unable to pull changes from `busy`');
  });

  it('E8 does not delay the stop of its worker, and continues on another one', async () => {
    let call: Promise<unknown> | undefined;
    await sql.begin(async (tx) => {
      await tx`select 1 from repositories for update`;
      call = admin.result('delete_repo', { repoid: 'busy' });
      await eventually(blocked, some);
    });
    await cluster.startWorker();
    await cluster.workers[0]?.stop();
    await sql`update operations set state = 'failed' where state = 'running'`;
    expect(await call).toMatchObject({ success: true });
  });
});

describe('the start of a worker', () => {
  it('with another secret is refused in one line', async () => {
    await expect(cluster.startWorker({ TRUNKLINE_SECRET: 'x'.repeat(32) })).rejects.toThrow(
      'written under a secret that is neither TRUNKLINE_SECRET nor one of TRUNKLINE_OLD_SECRETS',
    );
  });
});

describe('the log', () => {
  it('E9 has no data of a user whose create_user lost a race for the name', async () => {
    let call: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await tx`insert into users (username, username_key) values ('taken', 'taken')`;
      call = admin.error('create_user', { username: 'taken', email: 'private@example.com', password: 'a password' });
      await eventually(blocked, some);
    });
    expect(await call).toBe('user `taken` already exist');
    const logs = await eventually(
      () => cluster.logs(),
      (text) => text.includes('"method":"create_user"'),
    );
    expect(logs).not.toContain('params');
    expect(logs).not.toContain('argon2');
  });
});
