import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { createClient, type Client } from '../client.ts';
import { startCluster, type Cluster } from '../cluster.ts';
import { chosenSeed } from '../random.ts';
import { makeBareGitOnDisk, makeHgOnDisk } from '../repositories-on-disk.ts';
import type { Ran } from '../service-api.ts';
import { trunklinectl } from '../trunklinectl.ts';
import { makeWorld, type World, type WorldSize } from './source-world.ts';
import { writeSqlite, type Row, type Tables } from './write-source.ts';

export interface ImportReport {
  readonly findings: readonly { readonly kind: string; readonly about: string; readonly what: string }[];
  readonly written: { readonly created: number; readonly changed: number };
  readonly deleted_here: Readonly<Record<string, number>>;
}

/** A cluster of its own, and another program's database and directory of repositories to import. */
export interface ImportBench {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly sql: postgres.Sql;
  /** The directory of the other program's repositories. */
  readonly root: string;
  /** A directory beside it. */
  readonly beside: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The newest changeset of each repository, by type. */
  readonly tips: Readonly<Record<'hg' | 'git', string>>;
  world(): World;
  /** Arguments that import the source. */
  words(...options: string[]): string[];
  /** Changes tables of the source. */
  change(edit: (tables: Tables) => Tables): Promise<void>;
  run(...options: string[]): Promise<Ran>;
  /** Imports the source; returns the report. */
  runImport(...options: string[]): Promise<ImportReport>;
  /** Returns the id here of what has an id in the source; 0 for what was not imported. */
  idOf(kind: 'user' | 'user_group' | 'repo_group' | 'repository', sourceId: number): Promise<number>;
  /** Returns the path of a repository of the source in the storage. */
  pathOf(sourceId: number): Promise<string>;
  close(): Promise<void>;
}

async function makeRepositories(root: string, beside: string, world: World) {
  const templates = { hg: join(beside, 'template-hg'), git: join(beside, 'template-git') };
  const tips = { hg: await makeHgOnDisk(templates.hg), git: await makeBareGitOnDisk(templates.git) };
  for (const { name, type } of world.repositories) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await cp(templates[type], join(root, name), { recursive: true });
  }
  return tips;
}

/** Returns tables in which the rows of one, those with this value in a column, have changed. */
export function withChange(table: string, column: string, value: unknown, change: Row): (tables: Tables) => Tables {
  return (tables) => ({
    ...tables,
    [table]: (tables[table] ?? []).map((row) => (row[column] === value ? { ...row, ...change } : row)),
  });
}

export async function openImportBench(postgresUrl: string, size: WorldSize): Promise<ImportBench> {
  const beside = await mkdtemp(join(tmpdir(), 'trunkline-import-'));
  const [root, database] = [join(beside, 'repositories'), join(beside, 'source.db')];
  // Workers look for operations without a worker every second.
  const env = { TRUNKLINE_LEASE_SECONDS: '3' };
  const starting = startCluster({ postgresUrl, gateways: 1, workers: 1, env });
  const seed = chosenSeed();
  console.log(`import: TRUNKLINE_TEST_SEED=${seed}`);
  let world = makeWorld('kallithea 0.7', seed, size);
  const tips = await makeRepositories(root, beside, world);
  await writeSqlite(database, world.generation, world.tables);
  const cluster = await starting;
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  const sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  const environment = {
    TRUNKLINE_DATABASE_URL: cluster.database.workerUrl,
    TRUNKLINE_SECRET: cluster.secret,
    TRUNKLINE_STORAGE_ROOT: cluster.storageRoot,
  };
  const words = (...options: string[]) => ['--json', 'import', 'kallithea', database, root, ...options];
  const run = (...options: string[]) => trunklinectl(words(...options), { env: environment });
  const idOf: ImportBench['idOf'] = async (kind, sourceId) => {
    const [row] = await sql<{ id: number }[]>`
      select object_id as id from imported_objects where kind = ${kind} and source_id = ${sourceId}`;
    return row?.id ?? 0;
  };
  return {
    cluster,
    admin,
    sql,
    root,
    beside,
    environment,
    tips,
    words,
    run,
    idOf,
    world: () => world,
    async change(edit) {
      world = { ...world, tables: edit(world.tables) };
      await rm(database);
      await writeSqlite(database, world.generation, world.tables);
    },
    async runImport(...options) {
      const { stdout, stderr } = await run(...options);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as ImportReport;
    },
    async pathOf(sourceId) {
      const id = await idOf('repository', sourceId);
      const [row] = await sql<{ path: string }[]>`select storage_path as path from repositories where id = ${id}`;
      return join(cluster.storageRoot, row?.path ?? '');
    },
    async close() {
      await sql.end();
      await cluster.stop();
      await rm(beside, { recursive: true, force: true });
    },
  };
}
