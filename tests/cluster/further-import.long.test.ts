import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { commitMore } from '../harness/kallithea/commit-more.ts';
import { openImportBench, withChange, type ImportBench } from '../harness/kallithea/import-bench.ts';
import { permissionId } from '../harness/kallithea/source-world.ts';
import type { Row, Tables } from '../harness/kallithea/write-source.ts';
import { git, hg } from '../harness/remotes.ts';
import { makeBareGitOnDisk } from '../harness/repositories-on-disk.ts';
import { waitingForLocks } from '../harness/waiting-for-locks.ts';

let bench: ImportBench;

const grant = (user_id: number, level: string): Row => ({
  user_id,
  repository_id: 1,
  permission_id: permissionId(`repository.${level}`),
});

/** Replaces the rows that grant levels on the first repository. */
const withGrants = (...grants: readonly Row[]) => {
  const others = (rows: readonly Row[] = []) => rows.filter((row) => row['repository_id'] !== 1);
  return (tables: Tables): Tables => ({
    ...tables,
    repo_to_perm: [...others(tables['repo_to_perm']), ...grants],
    users_group_repo_to_perm: others(tables['users_group_repo_to_perm']),
  });
};

/** Removes rows of a table of the source. */
const without = (table: string, row: Row) => (tables: Tables) => ({
  ...tables,
  [table]: (tables[table] ?? []).filter((one) => Object.entries(row).some(([column, value]) => one[column] !== value)),
});

beforeAll(async () => {
  bench = await openImportBench(inject('postgresUrl'), { users: 10, userGroups: 2, repoGroups: 1, repositories: 6 });
  await bench.change(withGrants(grant(1, 'read'), grant(5, 'write'), grant(6, 'admin'), grant(9, 'write')));
  await bench.change(withChange('repositories', 'repo_id', 1, { private: false, user_id: 4 }));
});
afterAll(() => bench.close());

it('brings all repositories when it is run again after it was killed', async () => {
  const { sql, cluster } = bench;
  const program = join(import.meta.dirname, '../../apps/trunklinectl/bin/trunklinectl.js');
  const child = spawn(process.execPath, [program, ...bench.words()], { env: bench.environment, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await eventually(
    () => sql`select 1 from imported_objects where kind = 'repository'`,
    (rows) => rows.length >= 2 || child.exitCode !== null,
  );
  child.kill('SIGKILL');
  await ended;
  // As when the time of the lease has passed.
  await sql`update operations set lease_until = now() where state = 'running' and kind = 'adopt'`;
  await eventually(
    () => sql`select id from operations where state = 'running'`,
    (rows) => rows.length === 0,
  );
  const kept = await sql<{ path: string }[]>`select storage_path as path from repositories`;
  const trees = await readdir(join(cluster.storageRoot, '@repos'), { recursive: true });
  const left = trees.filter((path) => /^..\/[0-9a-f-]{36}$/.test(path)).map((path) => `@repos/${path}`);
  expect(left.filter((path) => !kept.some((row) => row.path === path))).toEqual([]);
  const report = await bench.runImport();
  expect(report.findings.filter(({ kind }) => kind === 'refused')).toEqual([]);
  for (const { id, type } of bench.world().repositories) {
    const found = await bench.admin.result('get_repo', { repoid: await bench.idOf('repository', id) });
    expect(found).toMatchObject({ last_changeset: { raw_id: bench.tips[type] } });
  }
  expect((await bench.runImport()).written).toMatchObject({ created: 0, changed: 0 });
  const unfinished =
    await sql`select source_id from imported_objects where kind = 'repository' and parts -> 'bytes' is null`;
  expect(unfinished).toEqual([]);
});

/** Deletes a user here, who owns nothing any more. */
async function deleteUser(sourceId: number, heir: number): Promise<void> {
  const { sql, admin } = bench;
  const gone = await bench.idOf('user', sourceId);
  for (const table of ['repositories', 'repo_groups', 'user_groups']) {
    await sql`update ${sql(table)} set owner_id = ${heir} where owner_id = ${gone}`;
  }
  await admin.result('delete_user', { userid: gone });
}

it('brings what has changed in the source alone, and gives nobody back what was revoked here', async () => {
  const { sql, admin, idOf } = bench;
  const [root, repoid, revoked] = [await idOf('user', 2), await idOf('repository', 1), await idOf('user', 5)];
  await admin.result('update_user', { userid: root, admin: false, lastname: 'of here' });
  await sql`delete from api_keys where user_id = ${root} and not builtin`;
  await admin.result('revoke_user_permission', { repoid, userid: revoked });
  await admin.result('update_repo', { repoid, private: true });
  await deleteUser(9, root);
  await admin.result('delete_repo', { repoid: await idOf('repository', 6) });
  const create = permissionId('hg.create.repository');
  const grants = await sql`select user_id from user_global_permissions where permission = 'hg.create.repository'`;
  expect(grants.map(({ user_id }) => user_id)).toContain(revoked);

  await bench.change(withChange('users', 'user_id', 2, { firstname: 'New', lastname: 'of there' }));
  // The right of user 6 is revoked there, beside one that is revoked here and a user who is deleted here.
  await bench.change(withGrants(grant(1, 'read'), grant(5, 'admin'), grant(9, 'write')));
  await bench.change(withChange('repositories', 'repo_id', 1, { description: 'new' }));
  await bench.change(without('user_to_perm', { user_id: 5, permission_id: create }));
  const report = await bench.runImport();
  const [user] = await sql`select firstname, lastname, admin from users where id = ${root}`;
  expect(user).toEqual({ firstname: 'New', lastname: 'of here', admin: false });
  expect(await sql`select id from api_keys where user_id = ${root} and not builtin`).toEqual([]);
  const [row] = await sql`select description, private from repositories where id = ${repoid}`;
  expect(row).toEqual({ description: 'new', private: true });
  const levels = await sql`select p.level from user_repository_permissions p join users u on u.id = p.user_id
    where p.repository_id = ${repoid} and u.username <> 'default'`;
  expect(levels).toEqual([]);
  const still = await sql`select 1 from user_global_permissions
    where permission = 'hg.create.repository' and user_id = ${revoked}`;
  expect(still).toEqual([]);
  const kept = report.findings.filter(({ kind }) => kind === 'kept').map(({ about, what }) => `${about}: ${what}`);
  expect(kept.toSorted()).toEqual(['repository tool: rights of `Änne`', 'user root: lastname']);
  expect(report.deleted_here).toEqual({ users: 1, repositories: 1 });
  expect(report.written).toMatchObject({ created: 0, changed: 3 });
});

it('goes on where values cannot be opened, and names them', async () => {
  const { sql, idOf } = bench;
  const repository = await idOf('repository', 2);
  const sealed = Buffer.alloc(64, 7);
  await sql`update repositories set clone_uri_sealed = ${sealed} where id = ${repository}`;
  await sql`update api_keys set sealed = ${sealed} where builtin and user_id = ${await idOf('user', 3)}`;
  await bench.change(
    withChange('repositories', 'repo_id', 2, { description: 'sealed', clone_uri: 'https://other.example/' }),
  );
  await bench.change(withChange('users', 'user_id', 3, { firstname: 'Sealed', api_key: 'a'.repeat(40) }));
  const report = await bench.runImport();
  const about = report.findings.filter(({ what }) => what.includes('cannot be opened')).map((one) => one.about);
  expect(about.toSorted()).toEqual([`repository ${bench.world().repositories[1]?.name ?? ''}`, 'user 12345_']);
  const [row] =
    await sql`select description, clone_uri_sealed = ${sealed} as kept from repositories where id = ${repository}`;
  expect(row).toEqual({ description: 'sealed', kept: true });
  expect(await sql`select 1 from users where firstname = 'Sealed'`).toHaveLength(1);
});

it('gives nobody back a permission of `default` that is revoked while it takes that from `default`', async () => {
  const { sql, admin } = bench;
  await admin.result('create_user', { username: 'local', email: 'local@example.com' });
  await bench.change(without('user_to_perm', { user_id: 1, permission_id: permissionId('hg.fork.repository') }));
  let running: Promise<unknown> | undefined;
  await sql.begin(async (tx) => {
    const revoked = await tx`delete from user_global_permissions p using users u
      where u.id = p.user_id and u.username = 'default' and p.permission = 'hg.fork.repository' returning 1`;
    expect(revoked).toHaveLength(1);
    running = bench.runImport();
    await eventually(
      () => waitingForLocks(sql),
      (waiting) => waiting.length > 0,
    );
  });
  await running;
  const holders = await sql`select u.username from user_global_permissions p join users u on u.id = p.user_id
    where p.permission = 'hg.fork.repository' and u.username in ('local', 'default')`;
  expect(holders).toEqual([]);
});

it('links a fork once its source, which was refused, is brought', async () => {
  const { admin, idOf } = bench;
  const [first] = bench.world().tables['repositories'] ?? [];
  const row = { ...first, repo_type: 'git', fork_id: null };
  const added = [
    { ...row, repo_id: 20, repo_name: 'late' },
    { ...row, repo_id: 21, repo_name: 'fork-of-late', fork_id: 20 },
  ];
  await bench.change((tables) => ({ ...tables, repositories: [...(tables['repositories'] ?? []), ...added] }));
  for (const { repo_name } of added) await makeBareGitOnDisk(join(bench.root, repo_name));
  const alternates = join(bench.root, 'late/objects/info/alternates');
  await writeFile(alternates, '../../fork-of-late/objects\n');
  const refused = (await bench.runImport()).findings.filter(({ kind }) => kind === 'refused');
  expect(refused.map(({ about }) => about)).toEqual(['repository late']);
  const read = async () => admin.result('get_repo', { repoid: await idOf('repository', 21) });
  expect(await read()).toMatchObject({ fork_of: null });
  await rm(alternates);
  await bench.runImport();
  expect(await read()).toMatchObject({ fork_of: 'late' });
});

it('does not replace a repository that has got a head or a hidden reference here, or that was moved', async () => {
  const { sql } = bench;
  const [ofHg, ofGit, moved] = bench.world().repositories.slice(2);
  if (!ofHg || !ofGit || !moved) throw new Error('the world has too few repositories');
  const hgPath = await bench.pathOf(ofHg.id);
  await hg(hgPath, 'update', '-q', 'null');
  await hg(hgPath, 'commit', '-q', '-m', 'pushed', '-u', 'Ann', '--config', 'ui.allowemptycommit=1');
  const gitPath = await bench.pathOf(ofGit.id);
  const commit = (await git(gitPath, 'commit-tree', '-m', 'pushed', 'HEAD^{tree}')).trim();
  await git(gitPath, 'update-ref', 'refs/hidden/pushed', commit);
  const repoid = await bench.idOf('repository', moved.id);
  const elsewhere = '00000000-0000-4000-8000-000000000000';
  await sql`insert into storages (id, name) values (${elsewhere}, 'elsewhere')`;
  const [home] = await sql<{ id: string }[]>`select storage_id as id from repositories where id = ${repoid}`;
  await sql`update repositories set storage_id = ${elsewhere} where id = ${repoid}`;
  for (const { name, type } of [ofHg, ofGit, moved]) await commitMore[type](join(bench.root, name));

  const report = await bench.runImport();
  await sql`update repositories set storage_id = ${home?.id ?? ''} where id = ${repoid}`;
  const refused = report.findings.filter(({ kind }) => kind === 'refused');
  const lacking = expect.stringContaining('it has changesets that the imported one lacks');
  expect(new Map(refused.map(({ about, what }) => [about, what]))).toEqual(
    new Map([
      [`repository ${moved.name}`, expect.stringContaining('it was moved to another storage')],
      [`repository ${ofHg.name}`, lacking],
      [`repository ${ofGit.name}`, lacking],
    ]),
  );
  expect([await bench.pathOf(ofHg.id), await bench.pathOf(ofGit.id)]).toEqual([hgPath, gitPath]);
});

it('keeps what is here where an earlier build has not recorded what it brought', async () => {
  const { sql } = bench;
  await sql`delete from user_group_members`;
  await sql`update imported_objects set parts = coalesce(
      (select jsonb_object_agg(name, 'a digest') from jsonb_object_keys(parts -> 'digests') name), '{}')
    || case when parts ? 'bytes' then jsonb_build_object('bytes', parts -> 'bytes') else '{}' end`;
  await bench.change(withChange('users', 'user_id', 4, { firstname: 'After' }));
  const report = await bench.runImport();
  const kept = new Map(report.findings.filter(({ kind }) => kind === 'kept').map(({ about, what }) => [about, what]));
  expect(kept.get('user with_space')).toBe('firstname');
  expect(kept.get('repository tool')).toBe('rights of privacy, `default`, `Änne`');
  expect(await sql`select 1 from user_group_members`).toEqual([]);
  // Of those that were deleted here, nothing is compared.
  const former = await sql`select kind, source_id from imported_objects where parts -> 'digests' is null order by kind`;
  expect(former).toEqual([
    { kind: 'repository', source_id: 6 },
    { kind: 'user', source_id: 9 },
  ]);
});
