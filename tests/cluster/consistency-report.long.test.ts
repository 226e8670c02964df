import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConsistencyRecord } from '@trunkline/contracts';
import { openDatabase, pingDatabase } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { findOnDisk } from '../../apps/vcs-worker/src/storage/consistency/find-on-disk.ts';
import { listMisreported } from '../../apps/vcs-worker/src/storage/consistency/misreported-store.ts';
import { openStorage } from '../../apps/vcs-worker/src/storage/storage.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { explain } from '../harness/explain.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { makeFixture } from '../harness/load-fixture.ts';
import { runLoad } from '../harness/load.ts';
import { waitingForLocks } from '../harness/waiting-for-locks.ts';

const { signal: unending } = new AbortController();
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
/** The connection whose table lock keeps sweeps waiting. */
let holder: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
});
beforeEach(() => {
  holder = postgres(cluster.databaseUrl, { max: 1 });
});
afterEach(() => holder.end());

const report = (args = {}) => admin.result<ConsistencyRecord>('get_consistency_report', args);
const found = async () => (await report()).findings;
const blocked = () => waitingForLocks(sql);
const make = (name: string) => admin.result('create_repo', { repo_name: name, repo_type: 'git' });

/** Keeps all workers from taking over operations and cleaning up, until the returned function is called. */
async function holdSweeps(): Promise<() => Promise<unknown>> {
  await holder`begin`;
  await holder`lock table operations in exclusive mode`;
  await eventually(blocked, (rows) => rows.length > 0);
  return () => holder`rollback`;
}

async function directoryOf(name: string): Promise<string> {
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where name = ${name}`;
  return row?.path ?? '';
}

async function plant(path: string): Promise<string> {
  await mkdir(join(cluster.storageRoot, path), { recursive: true });
  await writeFile(join(cluster.storageRoot, path, 'file'), '');
  return path;
}

/** Adds a running operation of a worker that does not exist; returns its id. */
async function plantOperation(repository: string, leaseSeconds: number): Promise<string> {
  const id = randomUUID();
  await sql`insert into operations (id, kind, repository_id, request, state, worker, attempt, lease_until)
    select ${id}, 'pull', r.id, '{"name":"pulled"}', 'running', 'gone', 1,
      clock_timestamp() + make_interval(secs => ${leaseSeconds}) from repositories r where name = ${repository}`;
  return id;
}

/** Makes an inconsistency of every kind; maps each kind to the finding's subject and whether it is repaired. */
async function plantAll(): Promise<Record<string, readonly [string, boolean]>> {
  const uuid = randomUUID();
  const [weekAgo, staged, trashed] = [Date.now() - 8 * 86_400_000, randomUUID(), randomUUID()];
  const lost = await directoryOf('lost');
  await rename(join(cluster.storageRoot, lost), join(cluster.storageRoot, '.lost'));
  await sql`update repositories set state = 'creating' where name = 'half'`;
  await sql`update repositories set needs_recovery = true where name = 'hurt'`;
  await sql`update repositories set group_id = (select id from repo_groups where name = 'group') where name = 'strayed'`;
  await sql`insert into names (path, kind) values ('nobody', 'group')`;
  await sql`update names set kind = 'group' where path = 'called'`;
  const [audited] = await sql<{ id: string }[]>`update audit_log set outcome = 'failed'
    where method = 'create_repo' and args->>'repo_name' = 'half' returning request_id as id`;
  return {
    repository_without_bytes: [lost, false],
    repository_without_operation: ['half', false],
    repository_needs_recovery: ['hurt', false],
    // Not repaired, since the directory is too new.
    directory_without_repository: [await plant(`@repos/${uuid.slice(0, 2)}/${uuid}`), false],
    staging_without_operation: [await plant(`@staging/${staged}.1`), true],
    trash_overdue: [await plant(`@trash/${weekAgo}.${trashed}`), true],
    unknown_entry: [await plant('@repos/note'), false],
    name_without_owner: ['nobody', true],
    name_of_wrong_kind: ['called', false],
    name_misplaced: ['strayed', false],
    audit_mismatch: [audited?.id ?? '', false],
  };
}

describe('get_consistency_report', () => {
  it('reports nothing for sound repositories and for one that is being created', async () => {
    const database = { sql, databaseUrl: cluster.databaseUrl };
    const hold = await holdUpdates(database, 'state on operations', "new.state = 'done'");
    const making = make('group/made');
    await hold.reached();
    expect(await report()).toEqual({
      storage: 'ours',
      storages: [{ name: 'default', marker: 'ours' }],
      findings: [],
      truncated: false,
    });
    await hold.release();
    await making;
    await sql`drop trigger hold on operations`;
    expect(await found()).toEqual([]);
  });

  it('C6 E14 finds an inconsistency of each kind, and repairs only safe ones and only when asked', async () => {
    for (const name of ['lost', 'half', 'hurt', 'strayed', 'called', 'pulled', 'pulled-later']) await make(name);
    const release = await holdSweeps();
    const planted = await plantAll();
    const seen = async (args: Record<string, unknown>) =>
      Object.fromEntries(
        (await report(args)).findings.map(({ kind, path, name, operation_id, repair, repaired }) => {
          return [kind, [path ?? name ?? operation_id, args['repair'] === true ? repaired : repair !== null]];
        }),
      );
    const logged = async () => (await sql`select 1 from audit_log`).length;
    const before = await logged();
    for (const _ of ['once', 'again']) expect(await seen({})).toEqual(planted);
    expect(await logged()).toBe(before);

    await sql`update storages set state = 'read-only'`;
    const stays = planted['staging_without_operation']?.[0] ?? '';
    expect(await seen({})).toEqual({ ...planted, staging_without_operation: [stays, false] });
    await sql`update storages set state = 'active'`;
    expect(await seen({ repair: true })).toEqual(planted);
    expect(await logged()).toBe(before + 1);
    await release();
    const safe = Object.keys(planted).filter((kind) => planted[kind]?.[1]);
    await eventually(found, (rest) => rest.every(({ kind }) => !safe.includes(kind)));
    expect((await found()).map(({ kind }) => kind).toSorted()).toEqual(
      Object.keys(planted)
        .filter((kind) => !safe.includes(kind))
        .toSorted(),
    );
    // Rows of repositories without bytes are not repaired: rescan_repos removes them.
    expect(await sql`select 1 from repositories where name in ('lost', 'half')`).toHaveLength(2);
  });

  it('C5 reports of a storage without its own marker only that, and changes nothing', async () => {
    const marker = join(cluster.storageRoot, '.trunkline-storage');
    await rename(marker, `${marker}-away`);
    const before = await readdir(cluster.storageRoot, { recursive: true });
    const { storage, findings } = await report({ repair: true });
    expect(storage).toBe('missing');
    expect(findings.map(({ kind }) => kind)).toContain('storage_marker');
    expect(findings.map(({ kind }) => kind)).not.toContain('directory_without_repository');
    await writeFile(marker, 'another\n');
    expect((await report()).storage).toBe('foreign');
    await rename(`${marker}-away`, marker);
    expect(await readdir(cluster.storageRoot, { recursive: true })).toEqual(
      before.map((one) => one.replace(/-away$/, '')),
    );
  });

  it('C6 reports operations whose worker is gone, and has those with an expired lease taken over', async () => {
    const over = await plantOperation('pulled', 3);
    const later = await plantOperation('pulled-later', 3_600);
    await holder`begin`;
    await holder`select 1 from operations where id = ${over} for update`;
    const look = async (args = {}) => {
      const orphans = (await report(args)).findings.filter(({ kind }) => kind === 'operation_without_worker');
      return new Map(orphans.map((one) => [one.operation_id, one]));
    };
    const seen = await eventually(look, (orphans) => (orphans.get(over)?.repair ?? null) !== null);
    expect(seen.get(later)).toMatchObject({ name: 'pulled', since: null, repair: null, repaired: false });
    await holder`rollback`;
    expect((await look({ repair: true })).get(later)?.repaired).toBe(false);
    const stateOf = () => sql`select state from operations where id = ${over}`;
    await eventually(stateOf, ([row]) => row?.['state'] === 'failed');
    expect((await sql`select state from operations where id = ${later}`)[0]?.['state']).toBe('running');
    await sql`delete from operations where id = ${later}`;
  });

  it('a directory without a repository is moved to the trash when it is an hour old', async () => {
    const { db, close } = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
    const [row] = await sql<{ id: string }[]>`select id from storages`;
    const storage = await openStorage({ root: cluster.storageRoot, id: row?.id ?? '', name: 'default' });
    const finder = { db, storage, trashDays: 7, wakeSweepers: () => {}, signal: unending };
    const look = async (hours: number) => {
      const now = new Date(Date.now() + hours * 3_600_000);
      const all = await findOnDisk({ ...finder, now });
      return all.filter(({ kind }) => kind === 'directory_without_repository');
    };
    const [early] = await look(0.9);
    expect(early?.repair).toBeUndefined();
    const [late] = await look(1.1);
    const path = late?.path ?? '';
    // A repository may have been recorded at that path meanwhile.
    await sql`update repositories set storage_path = ${path} where name = 'lost'`;
    expect(await late?.repair?.act()).toBe(false);
    await sql`update repositories set storage_path = 'elsewhere' where name = 'lost'`;
    expect(await late?.repair?.act()).toBe(true);
    expect(existsSync(join(cluster.storageRoot, path))).toBe(false);
    expect((await readdir(join(cluster.storageRoot, '@trash'))).some((entry) => entry.endsWith(path.slice(-36)))).toBe(
      true,
    );
    expect(await look(1.1)).toEqual([]);
    await close();
  });
});

describe('get_consistency_report of a long audit log', () => {
  /** Ended calls with their operations: many that have succeeded, and more than a page of those that have failed. */
  const [succeeded, failed] = [40_000, 6_000];

  beforeAll(async () => {
    await sql`insert into audit_log (request_id, actor_id, actor, ip, method, args, outcome)
      select gen_random_uuid(), 0, 'long', '', 'pull', '{}', case when n % 7 = 0 and n <= ${7 * failed}::int
        then 'failed' else 'succeeded' end from generate_series(1, ${succeeded + failed}::int) n`;
    await sql`insert into operations (id, kind, repository_id, request, state, attempt, finished_at)
      select request_id, 'pull', 0, '{}', case outcome when 'failed' then 'failed' else 'done' end, 1, now()
      from audit_log where actor = 'long'`;
    await sql`analyze`;
  });
  afterAll(async () => {
    await sql`delete from operations using audit_log where actor = 'long' and operations.id = request_id`;
    await sql`delete from audit_log where actor = 'long'`;
  });

  const mismatches = async () =>
    new Set((await found()).flatMap(({ kind, operation_id: id }) => (kind === 'audit_mismatch' ? [id] : [])));

  it('reads the calls that have failed alone, page by page', async () => {
    const database = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
    try {
      await pingDatabase(database.db);
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        const { rows, scanned } = await explain(database.db, cluster.databaseUrl, mode, () =>
          listMisreported(database.db, unending),
        );
        // Each of them twice, as an entry with its operation and as an operation with its entry, and to find the pages.
        expect(rows).toBeLessThan(7 * failed);
        expect(scanned).not.toContain('audit_log');
      }
    } finally {
      await database.close();
    }
  });

  it('finds what is wrong on its last page', async () => {
    const before = await mismatches();
    const wrong = await sql<{ id: string }[]>`update operations set state = 'done' where id = (select request_id
      from audit_log where actor = 'long' and outcome = 'failed' order by id desc limit 1) returning id`;
    wrong.push(
      ...(await sql<{ id: string }[]>`update operations set state = 'failed', created_at = now() + interval '1 second'
        where id = (select request_id from audit_log where actor = 'long' and outcome = 'succeeded' order by id desc limit 1)
        returning id`),
    );
    expect(await mismatches()).toEqual(new Set([...before, ...wrong.map(({ id }) => id)]));
  });
});

describe('get_consistency_report while twenty clients create, fork, pull, rename and delete', () => {
  it('C6 never reports a running operation as an inconsistency', async () => {
    const own = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 2 });
    const remotes: Record<'hg' | 'git', Remote> = { hg: await makeRemote.hg(), git: await makeRemote.git() };
    const ownSql = postgres(own.databaseUrl, { max: 2, onnotice: () => {} });
    try {
      const client = createClient(own.baseUrl, own.adminKey);
      await Promise.all([remotes.hg.commit({ a: '1' }), remotes.git.commit({ a: '1' })]);
      const fixture = await makeFixture(client, remotes);
      const over = new AbortController();
      const load = runLoad({ clients: Array.from({ length: 20 }, () => client), fixture, calls: 100, seed: 1 });
      const loadEnded = load.finally(() => over.abort());
      const findings = [];
      while (!over.signal.aborted) {
        const { findings: now } = await client.result<ConsistencyRecord>('get_consistency_report');
        findings.push(...now);
      }
      await loadEnded;
      expect(findings).toEqual([]);
      expect(await findInconsistencies(ownSql, own.storageRoot)).toEqual([]);
    } finally {
      await ownSql.end();
      await own.kill();
      await Promise.all([remotes.hg.close(), remotes.git.close()]);
    }
  });
});
