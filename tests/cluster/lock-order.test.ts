import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 3, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
});

const waiting = () =>
  sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** Runs `first` in a transaction, starts the call, and runs `second` once the call waits for a lock. */
async function around(
  call: () => Promise<unknown>,
  first: (tx: postgres.TransactionSql) => Promise<unknown>,
  second: (tx: postgres.TransactionSql) => Promise<unknown>,
): Promise<unknown> {
  const { begun } = await sql.begin(async (tx) => {
    await first(tx);
    const begun = call();
    begun.catch(() => {});
    await eventually(waiting, (rows) => rows.length > 0);
    await second(tx);
    return { begun };
  });
  return begun;
}

describe('fork_repo', () => {
  it('does not deadlock with a rename of the source to the name of the fork', async () => {
    await admin.result('create_repo', { repo_name: 'source' });
    const reply = await around(
      () => admin.error('fork_repo', { repoid: 'source', fork_name: 'wanted' }),
      // The lock and the change of update_repo.
      (tx) => tx`select 1 from repositories where name = 'source' for update`,
      (tx) => tx`update names set path = 'wanted' where path = 'source'`,
    );
    expect(reply).toBe('repository `source` does not exist');
  });

  it('does not deadlock with a rename of the group of both', async () => {
    await admin.result('create_repo', { repo_name: 'old/source' });
    const reply = await around(
      () => admin.error('fork_repo', { repoid: 'old/source', fork_name: 'old/fork' }),
      // The locks and the change of update_repo_group.
      (tx) => tx`select 1 from repo_groups where name = 'old' for update`,
      async (tx) => {
        await tx`select 1 from repositories where name = 'old/source' for update`;
        await tx`update names set path = 'new' || substr(path, 4) where path = 'old' or path like 'old/%'`;
      },
    );
    expect(reply).toBe('repository `old/source` does not exist');
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });
});

describe('delete_repo', () => {
  it('does not deadlock with another transaction that locks a repository and its forks', async () => {
    await admin.result('create_repo', { repo_name: 'root' });
    const forks = [
      ['root', 'first'],
      ['first', 'deep'],
      ['root', 'last'],
    ];
    for (const [repoid, fork_name] of forks) await admin.result('fork_repo', { repoid, fork_name });
    const reply = await around(
      () => admin.result('delete_repo', { repoid: 'root', forks: 'delete' }),
      // Locks in the order of ids, as update_repo_group takes them.
      (tx) => tx`select 1 from repositories where name = 'deep' for update`,
      (tx) => tx`select 1 from repositories where name = 'last' for update`,
    );
    expect(reply).toEqual({ msg: 'Deleted repository `root` Deleted 2 forks', success: true });
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });
});

describe('groups inside a group with a higher id', () => {
  const lock = (name: string) => (tx: postgres.TransactionSql) =>
    tx`select 1 from repo_groups where name = ${name} for update`;
  /** Fails when a call that waits for the lock before this one holds this one. */
  const lockNext = (name: string) => (tx: postgres.TransactionSql) =>
    tx`select 1 from repo_groups where name = ${name} for update nowait`;
  let pairs = 0;
  let parent: string;
  let child: string;

  beforeEach(async () => {
    pairs += 1;
    const [older, younger] = [`older-${pairs}`, `younger-${pairs}`];
    for (const group_name of [older, younger]) await admin.result('create_repo_group', { group_name });
    await admin.result('update_repo_group', { repogroupid: older, parent: younger });
    [parent, child] = [younger, `${younger}/${older}`];
  });

  it('create_repo does not deadlock with a transaction that locks them in the order of their ids', async () => {
    const create = () => admin.result('create_repo', { repo_name: `${child}/new`, repo_type: 'git' });
    const reply = await around(create, lock(child), lockNext(parent));
    expect(reply).toMatchObject({ msg: `Created new repository \`${child}/new\`` });
  });

  it('update_repo_group does not deadlock with a transaction that locks them in the order of their ids', async () => {
    const rename = () => admin.result('update_repo_group', { repogroupid: parent, group_name: `${parent}-renamed` });
    expect(await around(rename, lock(child), lockNext(parent))).toMatchObject({
      repo_group: { group_name: `${parent}-renamed` },
    });
  });

  it('a move into a third group does not deadlock with a transaction that locks both in the order of their ids', async () => {
    const target = `target-${pairs}`;
    await admin.result('create_repo_group', { group_name: target });
    const move = () => admin.result('update_repo_group', { repogroupid: child, parent: target });
    expect(await around(move, lock(child), lockNext(target))).toMatchObject({
      repo_group: { group_name: `${target}/older-${pairs}` },
    });
  });

  it('a move into a group to which the caller may not write is refused before it waits for a row', async () => {
    const [target, mover] = [`forbidden-${pairs}`, `mover-${pairs}`];
    await admin.result('create_repo_group', { group_name: target });
    await admin.result('create_repo', { repo_name: `${child}/inside`, repo_type: 'git' });
    await admin.result('create_user', { username: mover, email: `${mover}@example.org` });
    const { api_key } = await admin.result<{ api_key: string }>('get_user', { userid: mover });
    const administrates = { repogroupid: child, userid: mover, perm: 'group.admin' };
    await admin.result('grant_user_permission_to_repo_group', administrates);
    const client = createClient(cluster.baseUrl, api_key);
    const reply = await sql.begin(async (tx) => {
      await tx`select 1 from repositories where name = ${`${child}/inside`} for update`;
      return client.error('update_repo_group', { repogroupid: child, parent: target });
    });
    expect(reply).toBe(`no permission to create repo in ${target}`);
  });
});

describe('create_repo', () => {
  it('fails when its owner is deleted while it runs', async () => {
    await admin.result('create_user', { username: 'leaving', email: 'leaving@example.org', password: 'x'.repeat(12) });
    const reply = await around(
      () => admin.error('create_repo', { repo_name: 'late', owner: 'leaving' }),
      (tx) => tx`insert into names (path, kind) values ('late', 'repository')`,
      async (tx) => {
        await sql`delete from users where username = 'leaving'`;
        await tx`delete from names where path = 'late'`;
      },
    );
    expect(reply).toBe('user `leaving` does not exist');
  });
});
