import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
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

/** Does the first part of something by hand, then the second when the call waits for the first. */
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
  it('and whoever gives the source the name of the fork do not wait for each other', async () => {
    await admin.result('create_repo', { repo_name: 'source' });
    const heard = await around(
      () => admin.error('fork_repo', { repoid: 'source', fork_name: 'wanted' }),
      // As update_repo does.
      (tx) => tx`select 1 from repositories where name = 'source' for update`,
      (tx) => tx`update names set path = 'wanted' where path = 'source'`,
    );
    expect(heard).toBe('repository `source` does not exist');
  });

  it('and whoever renames the group of both do not wait for each other', async () => {
    await admin.result('create_repo', { repo_name: 'old/source' });
    const heard = await around(
      () => admin.error('fork_repo', { repoid: 'old/source', fork_name: 'old/fork' }),
      // As update_repo_group does.
      (tx) => tx`select 1 from repo_groups where name = 'old' for update`,
      async (tx) => {
        await tx`select 1 from repositories where name = 'old/source' for update`;
        await tx`update names set path = 'new' || substr(path, 4) where path = 'old' or path like 'old/%'`;
      },
    );
    expect(heard).toBe('repository `old/source` does not exist');
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });
});

describe('delete_repo', () => {
  it('and whoever else locks a repository and its forks do not wait for each other', async () => {
    await admin.result('create_repo', { repo_name: 'root' });
    const forks = [
      ['root', 'first'],
      ['first', 'deep'],
      ['root', 'last'],
    ];
    for (const [repoid, fork_name] of forks) await admin.result('fork_repo', { repoid, fork_name });
    const heard = await around(
      () => admin.result('delete_repo', { repoid: 'root', forks: 'delete' }),
      // In the order of their ids, as update_repo_group does.
      (tx) => tx`select 1 from repositories where name = 'deep' for update`,
      (tx) => tx`select 1 from repositories where name = 'last' for update`,
    );
    expect(heard).toEqual({ msg: 'Deleted repository `root` Deleted 2 forks', success: true });
    expect(await findInconsistencies(sql, cluster.storageRoot)).toEqual([]);
  });
});

describe('create_repo', () => {
  it('misses an owner who goes while it runs', async () => {
    await admin.result('create_user', { username: 'leaving', email: 'leaving@example.org', password: 'x'.repeat(12) });
    const heard = await around(
      () => admin.error('create_repo', { repo_name: 'late', owner: 'leaving' }),
      (tx) => tx`insert into names (path, kind) values ('late', 'repository')`,
      async (tx) => {
        await sql`delete from users where username = 'leaving'`;
        await tx`delete from names where path = 'late'`;
      },
    );
    expect(heard).toBe('user `leaving` does not exist');
  });
});
