import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { commitMore } from '../harness/kallithea/commit-more.ts';
import { makeWorld, type World } from '../harness/kallithea/source-world.ts';
import { writeSqlite, type Row } from '../harness/kallithea/write-source.ts';
import { git, hg } from '../harness/remotes.ts';
import { chosenSeed } from '../harness/random.ts';
import { makeBareGitOnDisk, makeHgOnDisk } from '../harness/repositories-on-disk.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';

interface Report {
  readonly findings: readonly { readonly kind: string; readonly about: string; readonly what: string }[];
  readonly written: { readonly created: number; readonly changed: number };
  readonly deleted_here: Readonly<Record<string, number>>;
}

const size = { users: 10, userGroups: 2, repoGroups: 1, repositories: 6 };
let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let directory: string;
let root: string;
let database: string;
let world: World;
let environment: Record<string, string>;
const tips = { hg: '', git: '' };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-import-again-'));
  root = join(directory, 'repositories');
  database = join(directory, 'source.db');
  const env = { TRUNKLINE_LEASE_SECONDS: '3' };
  const starting = startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  const templates = { hg: join(directory, 'hg'), git: join(directory, 'git') };
  tips.hg = await makeHgOnDisk(templates.hg);
  tips.git = await makeBareGitOnDisk(templates.git);
  world = makeWorld('kallithea 0.7', chosenSeed(), size);
  for (const { name, type } of world.repositories) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await cp(templates[type], join(root, name), { recursive: true });
  }
  await writeSqlite(database, world.generation, world.tables);
  cluster = await starting;
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  environment = {
    TRUNKLINE_DATABASE_URL: cluster.database.workerUrl,
    TRUNKLINE_SECRET: cluster.secret,
    TRUNKLINE_STORAGE_ROOT: cluster.storageRoot,
  };
});
afterAll(async () => {
  await sql.end();
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

const words = () => ['--json', 'import', 'kallithea', database, root];

async function runImport(): Promise<Report> {
  const ran = await trunklinectl(words(), { env: environment });
  if (ran.stdout === '') throw new Error(ran.stderr);
  return JSON.parse(ran.stdout) as Report;
}

/** Changes rows of the source. */
async function changeSource(table: string, column: string, value: unknown, change: Row): Promise<void> {
  const rows = world.tables[table] ?? [];
  const changed = rows.map((row) => (row[column] === value ? { ...row, ...change } : row));
  world = { ...world, tables: { ...world.tables, [table]: changed } };
  await rm(database);
  await writeSqlite(database, world.generation, world.tables);
}

const imported = (kind: string) => sql<{ sourceId: number; objectId: number }[]>`
  select source_id as "sourceId", object_id as "objectId" from imported_objects where kind = ${kind} order by source_id`;

async function idOf(kind: string, sourceId: number): Promise<number> {
  return (await imported(kind)).find((row) => row.sourceId === sourceId)?.objectId ?? 0;
}

async function pathOf(sourceId: number): Promise<string> {
  const id = await idOf('repository', sourceId);
  const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where id = ${id}`;
  return join(cluster.storageRoot, row?.path ?? '');
}

it('brings all repositories when it is run again after it was killed', async () => {
  const program = join(import.meta.dirname, '../../apps/trunklinectl/bin/trunklinectl.js');
  const child = spawn(process.execPath, [program, ...words()], { env: environment, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await eventually(
    () => imported('repository'),
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
  const report = await runImport();
  expect(report.findings.filter(({ kind }) => kind === 'refused')).toEqual([]);
  for (const { id, type } of world.repositories) {
    const repoid = await idOf('repository', id);
    expect(await admin.result('get_repo', { repoid })).toMatchObject({ last_changeset: { raw_id: tips[type] } });
  }
  expect((await runImport()).written).toMatchObject({ created: 0, changed: 0 });
  const unfinished =
    await sql`select source_id from imported_objects where kind = 'repository' and parts -> 'bytes' is null`;
  expect(unfinished).toEqual([]);
});

it('brings what has changed in the source alone, and gives nobody back what was revoked here', async () => {
  const [rootId, repository] = [await idOf('user', 2), await idOf('repository', 1)];
  await admin.result('update_user', { userid: rootId, admin: false, lastname: 'of here' });
  await sql`delete from api_keys where user_id = ${rootId} and not builtin`;
  await sql`delete from user_repository_permissions where repository_id = ${repository}
    and user_id <> (select id from users where username = 'default')`;
  await admin.result('update_repo', { repoid: repository, private: true });
  const gone = await idOf('user', 9);
  await sql`update repositories set owner_id = ${rootId} where owner_id = ${gone}`;
  await sql`update repo_groups set owner_id = ${rootId} where owner_id = ${gone}`;
  await sql`update user_groups set owner_id = ${rootId} where owner_id = ${gone}`;
  await admin.result('delete_user', { userid: gone });
  await admin.result('delete_repo', { repoid: await idOf('repository', 6) });

  await changeSource('users', 'user_id', 2, { firstname: 'New', lastname: 'of there' });
  const former = world.tables['repositories']?.find((row) => row['repo_id'] === 1)?.['user_id'];
  const owner = former === 4 ? 5 : 4;
  await changeSource('repositories', 'repo_id', 1, { description: 'new', private: false, user_id: owner });
  const report = await runImport();
  const [user] = await sql`select firstname, lastname, admin from users where id = ${rootId}`;
  expect(user).toEqual({ firstname: 'New', lastname: 'of here', admin: false });
  expect(await sql`select id from api_keys where user_id = ${rootId} and not builtin`).toEqual([]);
  const [row] = await sql`select description, private, owner_id as owner from repositories where id = ${repository}`;
  expect(row).toMatchObject({ description: 'new', private: true });
  expect(row?.['owner']).not.toBe(await idOf('user', owner));
  const rights = await sql`select p.level from user_repository_permissions p join users u on u.id = p.user_id
    where p.repository_id = ${repository} and u.username <> 'default'`;
  expect(rights).toEqual([]);
  const kept = report.findings.filter(({ kind }) => kind === 'kept').map(({ about, what }) => `${about}: ${what}`);
  expect(kept.toSorted()).toEqual([`repository ${world.repositories[0]?.name ?? ''}: rights`, 'user root: lastname']);
  expect(report.deleted_here).toEqual({ users: 1, repositories: 1 });
  expect(report.written).toMatchObject({ created: 0, changed: 2 });
});

it('does not replace a repository that has got a head or a hidden reference here, or that was moved', async () => {
  const [ofHg, ofGit, moved] = [world.repositories[2], world.repositories[3], world.repositories[4]];
  if (!ofHg || !ofGit || !moved) throw new Error('the world has too few repositories');
  const hgPath = await pathOf(ofHg.id);
  await hg(hgPath, 'update', '-q', 'null');
  await hg(hgPath, 'commit', '-q', '-m', 'pushed', '-u', 'Ann', '--config', 'ui.allowemptycommit=1');
  const gitPath = await pathOf(ofGit.id);
  const commit = (await git(gitPath, 'commit-tree', '-m', 'pushed', 'HEAD^{tree}')).trim();
  await git(gitPath, 'update-ref', 'refs/hidden/pushed', commit);
  const repoid = await idOf('repository', moved.id);
  const elsewhere = '00000000-0000-4000-8000-000000000000';
  await sql`insert into storages (id, name) values (${elsewhere}, 'elsewhere')`;
  const [home] = await sql<{ id: string }[]>`select storage_id as id from repositories where id = ${repoid}`;
  await sql`update repositories set storage_id = ${elsewhere} where id = ${repoid}`;
  for (const { name, type } of [ofHg, ofGit, moved]) await commitMore[type](join(root, name));

  const report = await runImport();
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
  expect([await pathOf(ofHg.id), await pathOf(ofGit.id)]).toEqual([hgPath, gitPath]);
});
