import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { isNativeGitFetch, makeGitRemote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 0,
    env: { TRUNKLINE_LEASE_SECONDS: '6', TRUNKLINE_TRASH_DAYS: '1' },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
});

/** Returns an option of Node.js with which Date, but not performance.now, is wrong by `hours`. */
function wrongClock(hours: number): string {
  const code = `const Right = Date; const by = ${hours * 3_600_000};
    globalThis.Date = class Date extends Right {
      constructor(...parts) { if (parts.length) super(...parts); else super(Right.now() + by); }
      static now() { return Right.now() + by; }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

const trash = () => readdir(join(cluster.storageRoot, '@trash'));
const operation = async (id: string) => {
  const [row] = await sql<{ state: string; worker: string; attempt: number; lease: Date | null }[]>`
    select state, worker, attempt, lease_until as lease from operations where id = ${id}`;
  return row;
};

/** Adds an operation of a worker that does not run, with a lease that ends in `seconds`; returns its id. */
async function leftBy(worker: string, repository: string, seconds: number): Promise<string> {
  await admin.result('create_repo', { repo_name: repository, repo_type: 'git' });
  const id = randomUUID();
  await sql`insert into operations (id, kind, repository_id, request, state, worker, attempt, lease_until)
    select ${id}, 'pull', id, '{"name":"x"}', 'running', ${worker}, 1, now() + make_interval(secs => ${seconds})
    from repositories where name = ${repository}`;
  return id;
}

describe.each([
  ['ahead', 25],
  ['behind', -25],
])('E13 a worker whose clock is %s by a day and an hour', (how, hours) => {
  it('takes over operations with an expired lease only, keeps its own, and empties the trash when due', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    let asked = 0;
    const intercept = async (request: Parameters<typeof isNativeGitFetch>[0]) => {
      if (!isNativeGitFetch(request)) return false;
      asked += 1;
      await opened;
      return false;
    };
    const remote = await makeGitRemote({ intercept });
    const right = await cluster.startWorker();
    const name = `import-${how}`;
    await remote.commit({ [someFile]: '1' });
    admin.call('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url }).catch(() => {});
    await eventually(
      async () => asked,
      (count) => count > 0,
    );
    const [imported] = await sql<
      { id: string }[]
    >`select id from operations where kind = 'import' and state = 'running'`;
    const alive = await leftBy('alive', `alive-${how}`, 3_600);
    const dead = await leftBy('dead', `dead-${how}`, -1);
    await admin.result('create_repo', { repo_name: 'gone', repo_type: 'git' });
    await admin.result('delete_repo', { repoid: 'gone' });
    // Entries with the time 0 are cleared staging, which the next sweep removes.
    const young = (await trash()).find((entry) => !entry.startsWith('0.'));
    const [now] = await sql<{ ms: number }[]>`select (extract(epoch from now()) * 1000)::float8 as ms`;
    const [deletion, withoutBytes] = [randomUUID(), randomUUID()];
    const old = `${Math.floor((now?.ms ?? 0) - 30 * 3_600_000)}.${deletion}`;
    // What is kept of them goes with the bytes, and soon where these are gone already.
    await sql`insert into deleted_repositories
      (repository_id, operation_id, storage_id, name, owner_id, deleted_at, fork_ids, document, kept_since)
      select id, operation, storage_id, name, owner_id, now() - age, '{}', document, now() - age
      from deleted_repositories, (values (900001, ${deletion}::uuid, interval '30 hours'),
        (900002, ${withoutBytes}::uuid, interval '11 minutes')) as further (id, operation, age)
      where name = 'gone' limit 2`;

    const wrong = await cluster.startWorker({ NODE_OPTIONS: wrongClock(hours), TRUNKLINE_LANES: 'transfer' });
    await right.kill();
    await mkdir(join(cluster.storageRoot, '@trash', old));
    const kept = () => sql`select name from deleted_repositories where repository_id in (900001, 900002)`;
    await eventually(kept, (rows) => rows.length === 0);
    await eventually(trash, (entries) => !entries.includes(old));
    await eventually(
      () => operation(dead),
      (row) => row?.state === 'failed',
    );
    expect(await operation(alive)).toMatchObject({ state: 'running', worker: 'alive', attempt: 1 });

    const id = imported?.id ?? '';
    const taken = await eventually(
      () => operation(id),
      (row) => row?.attempt === 2,
    );
    await eventually(
      () => operation(id),
      (row) => Number(row?.lease) > Number(taken?.lease),
    );
    open();
    const ended = await eventually(
      () => operation(id),
      (row) => row?.state !== 'running',
    );
    expect(ended).toMatchObject({ state: 'done', attempt: 2 });

    expect(young).toBeDefined();
    expect(await trash()).toContain(young);
    await sql`delete from operations where id = ${alive}`;
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
    await wrong.kill();
    await remote.close();
  }, 120_000);
});
