import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConsistencyRecord } from '@trunkline/contracts';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { askingViews } from '../harness/ask-view.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { placeOnStorage } from '../harness/place-on-storage.ts';
import { strandOperation } from '../harness/strand-operation.ts';
import { readReadiness } from '../harness/readiness.ts';
import { createWebClient, type WebClient } from '../harness/web-client.ts';

const unavailable = 'Service is temporarily unavailable, try again later';

let cluster: Cluster;
let sql: postgres.Sql;
let admin: Client;
let ann: Client;
let web: WebClient;
let second: Awaited<ReturnType<Cluster['startWorker']>>;

const startWorkerOf = (name: string, more: Record<string, string> = {}) =>
  cluster.startWorker({
    TRUNKLINE_STORAGES: `${name}=${cluster.storageRoots[name]}`,
    TRUNKLINE_STORAGE_CREATE: name === 'second' ? name : '',
    TRUNKLINE_LEASE_SECONDS: '3',
    // No fork goes on in the background, so that it can be moved.
    TRUNKLINE_FORK_WAIT: '25',
    ...more,
  });

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, storages: ['second'] });
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await startWorkerOf('default');
  second = await startWorkerOf('second');
  await admin.result('create_user', { username: 'ann', email: 'ann@example.com' });
  const { api_key: key } = await admin.result<{ api_key: string }>('get_user', { userid: 'ann' });
  ann = createClient(cluster.baseUrl, key);
  web = createWebClient(cluster.baseUrl);
  await web.signIn('admin', 'secret of the first administrator');
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const make = (repo_name: string, storage = 'default') =>
  admin.result('create_repo', { repo_name, repo_type: 'git', storage });
const fork = (repoid: string, fork_name: string) => admin.result('fork_repo', { repoid, fork_name });
const place = (name: string, storage: string) => placeOnStorage(sql, cluster.storageRoots, name, storage);
const setState = (state: string) => admin.result('update_storage', { storage: 'second', state });
const runningDeletions = () => sql<{ name: string; worker: string | null }[]>`
  select request ->> 'name' as name, worker from operations where kind = 'delete' and state = 'running' order by 1`;
const existing = async (prefix: string) => {
  const rows = await sql<{ name: string }[]>`
    select name from repositories where name like ${`${prefix}%`} order by name`;
  return rows.map(({ name }) => name);
};

const allGone = (prefix: string) =>
  eventually(
    () => existing(prefix),
    (names) => names.length === 0,
    60,
  );

/** Kills the worker of the second storage, and waits until the bus knows that nobody serves it. */
async function killSecond(): Promise<void> {
  await second.kill();
  const look = () => readReadiness(cluster.baseUrl);
  await eventually(look, ({ unserved }) => unserved?.includes('storage of storage second') === true);
}

/** Creates a repository with a fork beside it, a fork on the other storage, and a fork of that on its own storage. */
async function makeFamily(name: string): Promise<void> {
  await make(name);
  await fork(name, `${name}-1`);
  await fork(`${name}-1`, `${name}-2`);
  await fork(name, `${name}-3`);
  await place(`${name}-1`, 'second');
}

describe('the deletion of a repository with forks on two storages', () => {
  it('deletes them all, forks before their source', async () => {
    await makeFamily('all');
    const deleted = await admin.result('delete_repo', { repoid: 'all', forks: 'delete' });
    expect(deleted).toEqual({ msg: 'Deleted repository `all` Deleted 2 forks', success: true });
    const ends = await sql<{ name: string }[]>`select request ->> 'name' as name from operations
      where kind = 'delete' and request ->> 'name' like 'all%' order by finished_at`;
    const order = ends.map((row) => row.name);
    expect(order.indexOf('all-2')).toBeLessThan(order.indexOf('all-1'));
    expect(order.at(-1)).toBe('all');
    expect(await findInconsistencies(sql, cluster.storageRoots)).toEqual([]);
  });

  it('waits for the workers of the other storage, and goes on in the background', async () => {
    await makeFamily('wait');
    await killSecond();
    const deletion = admin.call('delete_repo', { repoid: 'wait', forks: 'delete' });
    await eventually(runningDeletions, (rows) => rows.map(({ name }) => name).join() === 'wait,wait-1');
    expect((await runningDeletions()).map(({ worker }) => worker)).toEqual([null, null]);
    expect(await admin.result('get_repo', { repoid: 'wait' })).toBeNull();
    second = await startWorkerOf('second');
    // On a busy machine the worker may have started too late for the call.
    expect((await deletion).error ?? 'The outcome of operation').toMatch(/^The outcome of operation/);
    await allGone('wait');
    expect(await findInconsistencies(sql, cluster.storageRoots)).toEqual([]);
  });

  it('is answered when its time is up, and goes on in the background', async () => {
    await make('late');
    await fork('late', 'late-1');
    await place('late-1', 'second');
    await killSecond();
    const views = await askingViews(cluster);
    const id = randomUUID();
    const deletion = views.open('admin', 'delete_repo', { repoid: 'late', forks: 'delete' }, id, 3_000);
    await expect(deletion).rejects.toThrow(`The outcome of operation ${id} is not known yet, ask get_operation`);
    await views.close();
    expect(await admin.result('get_operation', { operation_id: id })).toMatchObject({ state: 'running' });
    second = await startWorkerOf('second');
    await eventually(
      () => admin.result<{ state: string }>('get_operation', { operation_id: id }),
      ({ state }) => state === 'done',
      60,
    );
    expect(await existing('late')).toEqual([]);
  });

  it('is undone as far as a fork could not be deleted', async () => {
    await makeFamily('undone');
    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`;
    await sql`create trigger refuse before delete on repositories for each row
      when (old.name = 'undone-1') execute function refuse()`;
    const args = { repoid: 'undone', forks: 'delete' };
    expect(await admin.error('delete_repo', args)).toBe('failed to delete repository `undone`');
    expect(await existing('undone')).toEqual(['undone', 'undone-1']);
    await sql`drop trigger refuse on repositories`;
    expect(await findInconsistencies(sql, cluster.storageRoots)).toEqual([]);
    await admin.result('delete_repo', args);
    expect(await existing('undone')).toEqual([]);
  });

  it('changes nothing on the other storage when the forks are detached', async () => {
    await makeFamily('detached');
    await killSecond();
    expect(await admin.result('delete_repo', { repoid: 'detached', forks: 'detach' })).toEqual({
      msg: 'Deleted repository `detached` Detached 2 forks',
      success: true,
    });
    expect(await existing('detached')).toEqual(['detached-1', 'detached-2', 'detached-3']);
  });
});

const strand = (kind: string, name: string, request?: object) => strandOperation(sql, kind, { name, ...request });

const rowOf = async (name: string) => {
  const [row] = await sql`select state, needs_recovery as broken, generation from repositories where name = ${name}`;
  return row && { ...row, generation: Number(row['generation']) };
};

describe('an offline storage', () => {
  beforeAll(async () => {
    second = await startWorkerOf('second');
    const made = ['created', 'imported', 'forked', 'adopted', 'pulled', 'deleted', 'asked', 'moved'];
    for (const name of made) await make(`off/${name}`, 'second');
    await makeFamily('gone');
    await killSecond();
    await setState('offline');
  });

  it('is named before anything of a family is deleted', async () => {
    expect(await admin.error('delete_repo', { repoid: 'gone', forks: 'delete' })).toBe('Storage `second` is offline');
    expect(await rowOf('gone')).toMatchObject({ state: 'ready' });
    expect(await admin.error('delete_repo', { repoid: 'gone-1' })).toBe(unavailable);
    expect(await runningDeletions()).toEqual([]);
  });

  it('an administrator ends its operations, whose repositories are as after an undo', async () => {
    await sql`update repositories set state = 'creating' where name ~ '^off/(created|imported|forked|adopted)'`;
    await sql`update repositories set state = 'deleting' where name in ('off/deleted', 'off/moved')`;
    const before = await rowOf('off/pulled');
    const stranded: [string, string][] = [
      [await strand('create', 'off/created'), 'create repository `off/created`'],
      [await strand('import', 'off/imported'), 'create repository `off/imported`'],
      [await strand('fork', 'off/forked', { source: 'x' }), 'fork repository `x` as `off/forked`'],
      [await strand('adopt', 'off/adopted'), 'adopt repository `off/adopted`'],
      [await strand('pull', 'off/pulled'), 'Unable to pull changes from `off/pulled`'],
      [await strand('delete', 'off/deleted'), 'delete repository `off/deleted`'],
    ];
    const { text: page } = await web.get('/_admin/operations?refresh=off');
    for (const [operation_id, text] of stranded) {
      expect(page).toContain(`/_admin/operations/${operation_id}/cancel`);
      expect(await admin.result('cancel_operation', { operation_id })).toEqual({
        success: true,
        msg: `operation \`${operation_id}\` was ended without its storage, which is away`,
      });
      expect(await admin.result('get_operation', { operation_id })).toMatchObject({
        state: 'failed',
        error: expect.stringContaining(text),
      });
      expect(await admin.result('cancel_operation', { operation_id }).catch(() => null)).not.toMatchObject({
        success: true,
      });
    }
    expect(await existing('off/')).toEqual(['off/asked', 'off/deleted', 'off/moved', 'off/pulled']);
    expect(await rowOf('off/deleted')).toMatchObject({ state: 'ready' });
    expect(await rowOf('off/pulled')).toEqual({
      state: 'ready',
      broken: true,
      generation: (before?.generation ?? 0) + 1,
    });
  });

  it('others only ask for the end of an operation, and one with a worker is only asked to end', async () => {
    const operation_id = await strand('pull', 'off/asked');
    await sql`update operations set actor_id = (select id from users where username = 'ann') where id = ${operation_id}`;
    const asked = { success: true, msg: `operation \`${operation_id}\` is being cancelled` };
    expect(await ann.result('cancel_operation', { operation_id })).toEqual(asked);
    await sql`update operations set lease_until = now() + interval '1 hour', cancel_requested_at = null
      where id = ${operation_id}`;
    expect(await admin.result('cancel_operation', { operation_id })).toEqual(asked);
    expect(await admin.result('get_operation', { operation_id })).toMatchObject({ state: 'running' });
    await sql`update operations set lease_until = now() where id = ${operation_id}`;
    expect(await admin.result('cancel_operation', { operation_id })).toMatchObject({ success: true });
  });

  it('gets a repository back from the trash whose deletion was ended, when it returns', async () => {
    const operation_id = await strand('delete', 'off/moved');
    const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = 'off/moved'`;
    const root = cluster.storageRoots['second'] ?? '';
    const path = join(root, row?.path ?? '');
    await rename(path, join(root, '@trash', `${Date.now()}.${operation_id}`));
    await admin.result('cancel_operation', { operation_id });
    expect(await rowOf('off/moved')).toMatchObject({ state: 'ready' });
    await setState('active');
    second = await startWorkerOf('second');
    await eventually(
      async () => existsSync(path),
      (exists) => exists,
    );
    const findings = await findInconsistencies(sql, cluster.storageRoots);
    // Those whose creation was ended: directories that no row has are left to the consistency report.
    expect(findings).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/belongs to nothing$/)));
    await admin.result('delete_repo', { repoid: 'gone', forks: 'delete' });
  });
});

describe('a lost storage', () => {
  it('has its repositories listed and deleted, and a fork of one of them goes on', async () => {
    await make('lost/one', 'second');
    await fork('lost/one', 'lost/fork');
    await place('lost/fork', 'default');
    await killSecond();
    expect(await admin.error('delete_repo', { repoid: 'lost/one', forks: 'detach' })).toBe(unavailable);
    await setState('lost');
    const { findings } = await admin.result<ConsistencyRecord>('get_consistency_report');
    const lost = findings.filter(({ kind }) => kind === 'repository_of_lost_storage');
    expect(lost.map(({ name, storage }) => [name, storage])).toContainEqual(['lost/one', 'second']);
    expect(lost.map(({ name }) => name)).not.toContain('lost/fork');
    expect((await web.get('/_admin/storages')).text).toContain(
      'listed on the page of <a href="/_admin/consistency">consistency</a>',
    );
    expect(await ann.error('delete_repo', { repoid: 'lost/one' })).toBe('repository `lost/one` does not exist');
    // A gateway reads the states of storages again after some seconds, or when nobody answers.
    expect(await admin.result('delete_repo', { repoid: 'lost/one', forks: 'detach' })).toMatchObject({ success: true });
    expect(await existing('lost/')).toEqual(['lost/fork']);
    await admin.result('fork_repo', { repoid: 'lost/fork', fork_name: 'lost/again' });
    expect(await admin.error('pull', { repoid: 'off/asked' })).toBe(unavailable);
  });

  it('has its rows removed with a family, by whichever worker', async () => {
    await make('rest');
    await fork('rest', 'rest-1');
    await sql`update repositories set storage_id = (select id from storages where name = 'second') where name = 'rest-1'`;
    expect(await admin.result('delete_repo', { repoid: 'rest', forks: 'delete' })).toMatchObject({
      msg: 'Deleted repository `rest` Deleted 1 forks',
    });
    await sql`update repositories set state = 'deleting' where name = 'off/asked'`;
    await strand('delete', 'off/asked');
    await allGone('off/asked');
  });

  it('that comes back has its worker say what to do', async () => {
    second = await startWorkerOf('second');
    await eventually(
      () => cluster.logs(),
      (logs) => logs.includes('the storage is recorded as lost'),
    );
    await setState('active');
    await admin.result('invalidate_cache', { repoid: 'off/pulled' });
  });
});
