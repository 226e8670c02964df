import { openDatabase, pingDatabase, type OpenDatabase } from '@trunkline/db';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { pageOfFollowers, pageOfUserGroups, pageOfUsers } from '../../apps/vcs-worker/src/domain/repo/member-page.ts';
import { findUserGroup } from '../../apps/vcs-worker/src/domain/groups/user-group-store.ts';
import * as ofGroup from '../../apps/vcs-worker/src/domain/groups/repo-group-member-store.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { explain } from '../harness/explain.ts';

const [people, objects, limit] = [4_000, 20, 51];
/** The id of a repository, and of a repository group. */
const object = 7;
/** Each entry is read from its list and from its table; the rest is for rows that the plan passes over. */
const rowsMax = 2 * limit + 20;
const lists = [
  ['followers', pageOfFollowers, 'followers_repository_id_user_id_index', 'users_pkey'],
  ['users of a repository', pageOfUsers, 'user_repository_permissions_by_repository', 'users_pkey'],
  [
    'user groups of a repository',
    pageOfUserGroups,
    'user_group_repository_permissions_by_repository',
    'user_groups_pkey',
  ],
  ['users of a group', ofGroup.pageOfUsers, 'user_repo_group_permissions_by_repo_group', 'users_pkey'],
  [
    'user groups of a group',
    ofGroup.pageOfUserGroups,
    'user_group_repo_group_permissions_by_repo_group',
    'user_groups_pkey',
  ],
] as const;

let cluster: Cluster;
let database: OpenDatabase;
let sql: postgres.Sql;

/**
 * Adds users and user groups: a tenth of them follow, or have a level on, each of the repositories and groups. Rows lie
 * in no order, as they do after years.
 */
async function addPeople(): Promise<void> {
  await sql`insert into users (username, username_key) select 'u' || n, 'u' || n from generate_series(1, ${people}::int) n`;
  await sql`insert into user_groups (name, name_key, owner_id)
    select 'g' || n, 'g' || n, (select min(id) from users) from generate_series(1, ${people}::int) n`;
  await sql`insert into names (path, kind) select kind || n, kind
    from generate_series(1, ${objects}::int) n, (values ('repository'), ('group')) of (kind)`;
  await sql`insert into repositories (uuid, name, type, state, storage_id, storage_path, private, description, owner_id,
      landing_rev, enable_downloads, enable_locking, enable_statistics)
    select gen_random_uuid(), 'repository' || n, 'git', 'ready', (select id from storages), 'made/' || n, false, '',
      (select min(id) from users), 'tip', false, false, false from generate_series(1, ${objects}::int) n`;
  await sql`insert into repo_groups (name, description, owner_id)
    select 'group' || n, '', (select min(id) from users) from generate_series(1, ${objects}::int) n`;
  await sql`insert into followers (user_id, repository_id)
    select o.id, r.id from users o, repositories r where (o.id + r.id) % 10 = 0 order by random()`;
  await sql`insert into user_repository_permissions (user_id, repository_id, level)
    select o.id, r.id, 1 from users o, repositories r where (o.id + r.id) % 10 = 0 order by random()`;
  await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
    select o.id, r.id, 1 from user_groups o, repositories r where (o.id + r.id) % 10 = 0 order by random()`;
  await sql`insert into user_repo_group_permissions (user_id, repo_group_id, level)
    select o.id, d.id, 1 from users o, repo_groups d where (o.id + d.id) % 10 = 0 order by random()`;
  await sql`insert into user_group_repo_group_permissions (user_group_id, repo_group_id, level)
    select o.id, d.id, 1 from user_groups o, repo_groups d where (o.id + d.id) % 10 = 0 order by random()`;
  await sql`vacuum analyze`;
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 1 });
  database = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  await addPeople();
  // The driver reads the types when it connects.
  await pingDatabase(database.db);
}, 120_000);
afterAll(async () => {
  await Promise.all([database.close(), sql.end()]);
  await cluster.stop();
});

it.each(lists)('a page of %s reads few others, at the beginning and deep in the list', async (_, page, ...indexes) => {
  for (const after of [0, people / 2, people - 600]) {
    const read = () => page(database.db, object, { limit, after });
    expect(await read()).toHaveLength(limit);
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      const cost = await explain(database.db, cluster.databaseUrl, mode, read);
      expect(cost.indexes, mode).toEqual(indexes);
      expect(cost.rows, mode).toBeLessThanOrEqual(rowsMax);
    }
  }
});

it('a user group is found by its name in an index', async () => {
  const read = () => findUserGroup(database.db, { id: null, name: 'g17', sent: 'g17' });
  expect(await read()).toMatchObject({ name: 'g17' });
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const cost = await explain(database.db, cluster.databaseUrl, mode, read);
    expect(cost, mode).toEqual({ rows: 1, scanned: [], indexes: ['user_groups_name_index'] });
  }
});
