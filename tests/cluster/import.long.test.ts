import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { createClient, type Client } from '../harness/client.ts';
import { commitMore } from '../harness/kallithea/commit-more.ts';
import { hashKinds } from '../harness/kallithea/hash-kinds.ts';
import { expectedLevel, expectedPermission } from '../harness/kallithea/expected-levels.ts';
import type { Generation } from '../harness/kallithea/source-schema.ts';
import { makeWorld, type World } from '../harness/kallithea/source-world.ts';
import { writePostgres, writeSqlite } from '../harness/kallithea/write-source.ts';
import { byForm } from '../harness/long-form.ts';
import { chosenSeed } from '../harness/random.ts';
import { git, hg } from '../harness/remotes.ts';
import { makeBareGitOnDisk, makeHgOnDisk } from '../harness/repositories-on-disk.ts';
import { openTestDatabase } from '../harness/test-database.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';
import { someFile } from '../harness/unique-name.ts';

interface Found {
  readonly kind: string;
  readonly about: string;
  readonly what: string;
  readonly proposed: string | null;
}

interface Report {
  readonly dry_run: boolean;
  readonly findings: readonly Found[];
  readonly written: { readonly created: number; readonly changed: number; readonly unchanged: number } | null;
  readonly not_brought: Readonly<Record<string, number>>;
}

interface Permissions {
  readonly permissions: {
    readonly global: readonly string[];
    readonly repositories: Readonly<Record<string, string>>;
    readonly repositories_groups: Readonly<Record<string, string>>;
  };
}

const seed = chosenSeed();
const size = byForm(
  { users: 10, userGroups: 4, repoGroups: 4, repositories: 12 },
  { users: 200, userGroups: 30, repoGroups: 60, repositories: 1_000 },
);

vi.setConfig({ testTimeout: byForm(60_000, 3_600_000), hookTimeout: byForm(60_000, 900_000) });

let cluster: Cluster;
let admin: Client;
let directory: string;
const templates = { hg: '', git: '' };
const tips = { hg: '', git: '' };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-import-'));
  templates.hg = join(directory, 'template-hg');
  templates.git = join(directory, 'template-git');
  const starting = startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    // Workers look for operations without a worker every second.
    env: { TRUNKLINE_LEASE_SECONDS: '3' },
  });
  tips.hg = await makeHgOnDisk(templates.hg);
  tips.git = await makeBareGitOnDisk(templates.git);
  cluster = await starting;
  admin = createClient(cluster.baseUrl, cluster.adminKey);
});
afterAll(async () => {
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
});

async function makeRepositories(root: string, world: World): Promise<void> {
  for (const { name, type } of world.repositories) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await cp(templates[type], join(root, name), { recursive: true });
  }
}

async function runImport(world: World, database: string, repositories: string, ...options: string[]) {
  const env = {
    TRUNKLINE_DATABASE_URL: cluster.database.workerUrl,
    TRUNKLINE_SECRET: cluster.secret,
    TRUNKLINE_STORAGE_ROOT: cluster.storageRoot,
  };
  const kind = world.generation.split(' ')[0] ?? '';
  const ran = await trunklinectl(['--json', 'import', kind, database, repositories, ...options], { env });
  if (ran.stdout === '') throw new Error(ran.stderr);
  const report = JSON.parse(ran.stdout) as Report;
  for (const secret of ['hidden-password', ...world.users.map(({ apiKey }) => apiKey)]) {
    expect(ran.stdout + ran.stderr).not.toContain(secret);
  }
  return { report, exitCode: ran.exitCode };
}

/** Returns the name here of what has this name in the source. */
function nameHere({ findings }: Report, about: string, name: string): string {
  return findings.find((one) => one.kind === 'renamed' && one.about === `${about} ${name}`)?.proposed ?? name;
}

const levelOf = (named: Readonly<Record<string, string>>, name: string) => named[name]?.split('.')[1] ?? 'none';

/** Compares what each user may do here with what the other program allows. */
async function compareRights(world: World, report: Report): Promise<string[]> {
  const wrong: string[] = [];
  for (const user of world.users.filter((one) => !one.admin)) {
    const { permissions } = await createClient(cluster.baseUrl, user.apiKey).result<Permissions>('get_user', {});
    const compare = (what: string, here: string | boolean, there: string | boolean) => {
      if (here !== there) wrong.push(`${user.username} ${what}: ${here} here, ${there} there`);
    };
    for (const row of world.tables['repositories'] ?? []) {
      const name = nameHere(report, 'repository', String(row['repo_name']));
      compare(name, levelOf(permissions.repositories, name), expectedLevel(world, 'repository', row, user.id));
    }
    for (const row of world.tables['groups'] ?? []) {
      const name = nameHere(report, 'repository group', String(row['group_name']));
      compare(name, levelOf(permissions.repositories_groups, name), expectedLevel(world, 'group', row, user.id));
    }
    for (const permission of ['hg.create.repository', 'hg.fork.repository']) {
      compare(permission, permissions.global.includes(permission), expectedPermission(world, permission, user.id));
    }
  }
  return wrong;
}

const loginOf = (username: string, password: string) =>
  `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;

/** Returns whether a client gets beyond the check of name and password. */
async function isSignedIn(username: string, password: string): Promise<boolean> {
  const login = Buffer.from(`${username}:${password}`).toString('base64');
  const url = new URL('/no-repository/info/refs?service=git-upload-pack', cluster.baseUrl);
  const response = await fetch(url, { headers: { authorization: `Basic ${login}` } });
  await response.body?.cancel();
  return response.status !== 401;
}

/** The second generation differs in its database, rules and rows: what is equal in both is for the long form. */
const wholeOf = (generation: Generation) => (byForm(generation === 'kallithea 0.7', true) ? [generation] : []);

const generations: readonly Generation[] = ['kallithea 0.7', 'rhodecode 1.7'];

describe.each(generations)('an import of %s', (generation) => {
  const isSqlite = generation === 'kallithea 0.7';
  const whole = wholeOf(generation);
  let world: World;
  let database: string;
  let root: string;
  let report: Report;

  beforeAll(async () => {
    // Names of the two worlds differ by the group in which each has them.
    world = makeWorld(generation, seed, size);
    root = join(directory, isSqlite ? 'first' : 'second');
    await makeRepositories(root, world);
    await rm(join(root, 'tool'), { recursive: true });
    await symlink(templates.hg, join(root, 'tool'));
    await cp(templates.git, join(root, 'stray'), { recursive: true });
    if (isSqlite) {
      database = join(directory, 'source.db');
      await writeSqlite(database, generation, world.tables);
    } else {
      const opened = await openTestDatabase(inject('postgresUrl'), `import_${seed}`);
      database = opened.url;
      await writePostgres(database, generation, world.tables);
    }
  });

  it.each(whole)('%s: says before what it would do, and does nothing', async () => {
    const before = await admin.result<unknown[]>('get_users', {});
    const dry = await runImport(world, database, root, '--dry-run');
    expect(dry.report).toMatchObject({ dry_run: true, written: null });
    expect(dry.report.not_brought).toMatchObject({ 'comments on changesets': 1 });
    expect(await admin.result('get_users', {})).toEqual(before);
  });

  it('keeps the rights of each user', async () => {
    ({ report } = await runImport(world, database, root));
    const refused = report.findings.filter(({ kind }) => kind === 'refused');
    expect(refused).toEqual([
      { kind: 'refused', about: 'repository tool', what: 'it is, or lies behind, a symbolic link', proposed: null },
    ]);
    expect(report.findings).toContainEqual(expect.objectContaining({ about: 'directory stray', kind: 'left out' }));
    const known = { ...world, tables: { ...world.tables, repositories: without(world, 'tool') } };
    expect(await compareRights(known, report)).toEqual([]);
  });

  it.each(whole)('%s: signs users in with their old passwords, and replaces the hashes', async () => {
    const before = await hashKinds(cluster.databaseUrl);
    const open = world.users.filter(({ password }) => password !== null).slice(0, byForm(4, size.users));
    for (const [at, { username, password }] of open.entries()) {
      const name = nameHere(report, 'user', username);
      // Further guesses from one address would be refused for their number.
      const wrong = at < 4 ? [[`not ${password}`, false] as const] : [];
      for (const [tried, isRight] of [...wrong, [password ?? '', true], [password ?? '', true]] as const) {
        expect([name, tried, await isSignedIn(name, tried)]).toEqual([name, tried, isRight]);
      }
    }
    const after = await hashKinds(cluster.databaseUrl);
    expect(after['ours']).toBe((before['ours'] ?? 0) + open.length);
    for (const { username, stored } of world.users.filter(({ password }) => password === null)) {
      const name = nameHere(report, 'user', username);
      expect(await isSignedIn(name, stored)).toBe(false);
    }
  });

  it('brings what repositories hold', async () => {
    const names = world.repositories.filter(({ name }) => name !== 'tool');
    for (const { name, type } of names) {
      const repoid = nameHere(report, 'repository', name);
      const record = await admin.result('get_repo', { repoid });
      expect(record).toMatchObject({ repo_type: type, last_changeset: { raw_id: tips[type] } });
      const nodes = await admin.result('get_repo_nodes', { repoid, revision: 'tip', root_path: '/' });
      expect(nodes).toEqual([{ name: someFile, type: 'file' }]);
    }
  });

  it.each(whole)('%s: serves clients at the old addresses, with the old passwords', async () => {
    const root = world.users.find((one) => one.admin);
    const login = loginOf(nameHere(report, 'user', root?.username ?? ''), root?.password ?? '');
    for (const tool of ['hg', 'git'] as const) {
      const found = world.repositories.find(({ name, type }) => type === tool && name !== 'tool');
      const name = nameHere(report, 'repository', found?.name ?? '');
      const url = `${cluster.baseUrl.replace('://', `://${login}`)}/${encodeURI(name)}`;
      const clone = await mkdtemp(join(directory, 'clone-'));
      if (tool === 'hg') await hg(clone, 'clone', '-q', url, '.');
      else await git(clone, 'clone', '-q', url, '.');
      expect(await readFile(join(clone, someFile), 'utf8')).not.toBe('');
    }
  });

  it.each(whole)('%s: brings what has changed since, and nothing else', async () => {
    const again = await runImport(world, database, root);
    const objects = (report.written?.created ?? 0) + (report.written?.changed ?? 0) + (report.written?.unchanged ?? 0);
    expect(again.report.written).toMatchObject({ created: 0, changed: 0, unchanged: objects });

    const changed = world.repositories.filter(({ name }) => name !== 'tool').slice(0, 2);
    const newTips: string[] = [];
    for (const { name, type } of changed) {
      const path = join(root, name);
      newTips.push(await commitMore[type](path));
    }
    const third = await runImport(world, database, root);
    expect(third.report.written).toMatchObject({ created: 0, changed: 2 });
    const found = await Promise.all(
      changed.map(async ({ name }) => {
        const repoid = nameHere(report, 'repository', name);
        const { last_changeset: tip } = await admin.result<{ last_changeset: { raw_id: string } }>('get_repo', {
          repoid,
        });
        return tip.raw_id;
      }),
    );
    expect(found).toEqual(newTips);
  });
});

it('adopts repositories where they lie, and names those that it refuses', async () => {
  const small = { users: 10, userGroups: 2, repoGroups: 1, repositories: 4 };
  const world = makeWorld('kallithea 0.7', seed + 1, small);
  const root = join(cluster.storageRoot, 'field');
  await makeRepositories(root, world);
  const [own, , , borrowing] = world.repositories.map(({ name }) => join(root, name));
  await writeFile(join(own ?? '', '.hg/hgrc'), '[hooks]\nupdate = touch /tmp/never\n');
  await writeFile(join(borrowing ?? '', 'objects/info/alternates'), '../../elsewhere/objects\n');
  const database = join(directory, 'third.db');
  await writeSqlite(database, world.generation, world.tables);
  const { report, exitCode } = await runImport(world, database, root, '--adopt', '--weak-keys');
  expect(exitCode).toBe(1);
  expect(report.findings.filter(({ kind }) => kind === 'refused')).toEqual([
    {
      kind: 'refused',
      about: 'repository web site',
      what: expect.stringContaining('it borrows objects from elsewhere (`objects/info/alternates`)'),
      proposed: null,
    },
  ]);
  const weak = report.findings.filter(({ kind }) => kind === 'weak key').map(({ what }) => what);
  expect(weak).toEqual([expect.stringContaining('has 128 bits instead of 160')]);
  for (const { name, type } of world.repositories.slice(0, 3)) {
    const repoid = nameHere(report, 'repository', name);
    const record = await admin.result('get_repo', { repoid });
    expect(record).toMatchObject({ repo_type: type, last_changeset: { raw_id: tips[type] } });
  }
  expect(await readFile(join(own ?? '', '.hg/hgrc.before-adoption'), 'utf8')).toContain('[hooks]');
  expect(await readFile(join(own ?? '', '.hg/hgrc'), 'utf8')).not.toContain('[hooks]');
});

const without = (world: World, name: string) =>
  (world.tables['repositories'] ?? []).filter((row) => row['repo_name'] !== name);
