import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from 'postgres';

async function below(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** Excludes the file that workers write every few seconds to check that the storage is writable. */
const isNoProbe = (entry: string) => entry !== '.probe';

/** Root directories of storages by name. */
type Roots = Readonly<Record<string, string>>;

async function findInStorage(sql: Sql, storage: string, storageRoot: string): Promise<string[]> {
  const repositories = await sql<{ name: string; storagePath: string; state: string }[]>`
    select r.name, r.storage_path as "storagePath", r.state
      from repositories r join storages s on s.id = r.storage_id where s.name = ${storage}`;
  const copies = await sql<{ storagePath: string }[]>`
    select c.storage_path as "storagePath"
      from repository_copies c join storages s on s.id = c.storage_id where s.name = ${storage}`;
  const known = new Set([...repositories, ...copies].map(({ storagePath }) => storagePath));
  const onDisk = (
    await Promise.all(
      (await below(join(storageRoot, '@repos'))).map(async (prefix) =>
        (await below(join(storageRoot, '@repos', prefix))).map((uuid) => `@repos/${prefix}/${uuid}`),
      ),
    )
  ).flat();
  const trashed = (await below(join(storageRoot, '@trash'))).flatMap((entry) => {
    const id = /[0-9a-f-]{36}/.exec(entry)?.[0];
    return id === undefined ? [] : [{ id, entry }];
  });
  const kept = await sql<{ name: string; deletion: string; restored: boolean }[]>`
    select d.name, d.operation_id as deletion, d.restored_by is not null as restored
      from deleted_repositories d join storages s on s.id = d.storage_id where s.name = ${storage}`;
  const operationIds = new Set((await sql<{ id: string }[]>`select id from operations`).map(({ id }) => id));
  return [
    ...repositories.filter(({ state }) => state !== 'ready').map(({ name, state }) => `${name} is ${state}`),
    ...repositories
      // Adopted repositories stay at the path where a user put them, outside of @repos.
      .filter(({ storagePath }) => !existsSync(join(storageRoot, storagePath)))
      .map(({ name }) => `${name} has no bytes`),
    ...onDisk.filter((path) => !known.has(path)).map((path) => `${path} belongs to nothing`),
    ...(await below(join(storageRoot, '@staging'))).filter(isNoProbe).map((entry) => `staging holds ${entry}`),
    ...kept
      .filter(({ deletion }) => !trashed.some(({ id }) => id === deletion))
      .map(({ name }) => `the trash does not hold the deleted ${name}`),
    ...kept.filter(({ restored }) => restored).map(({ name }) => `the deleted ${name} is being restored`),
    ...trashed.filter(({ id }) => !operationIds.has(id)).map(({ entry }) => `the trash holds ${entry} of no operation`),
  ];
}

async function findInDatabase(sql: Sql): Promise<string[]> {
  const unfinished = await sql<{ id: string }[]>`select id from operations where state = 'running'`;
  const names = await sql<{ path: string }[]>`
    select path from names n where not exists (select 1 from repositories r where r.name = n.path)
      and not exists (select 1 from repo_groups g where g.name = n.path)`;
  const misplaced = await sql<{ name: string }[]>`
    select name from (
      select name, group_id as above from repositories union all select name, parent_id from repo_groups) placed
    where name <> coalesce((select g.name || '/' from repo_groups g where g.id = above), '') || substring(name from '[^/]+$')`;
  const audited = await sql<{ fault: string }[]>`
    select 'the audit log has ' || a.method || ' ' || a.request_id || ' ' || a.outcome || ', the operations ' ||
        coalesce(o.state, 'nothing') as fault
      from audit_log a left join operations o on o.id = a.request_id
      where a.outcome = 'running' or (o.state = 'done' and a.outcome <> 'succeeded')
        or (o.state = 'failed' and a.outcome <> 'failed')`;
  const stranded = await sql<{ path: string }[]>`
    select storage_path as path from repository_copies c where role = 'arriving'
      and not exists (select 1 from operations o where o.id = c.operation_id and o.state = 'running')`;
  const miscalled = await sql<{ path: string; kind: string }[]>`
    select path, kind from names where (kind = 'repository') <> exists (select 1 from repositories r where r.name = path)`;
  return [
    ...audited.map(({ fault }) => fault),
    ...miscalled.map(({ path, kind }) => `the name ${path} is that of a ${kind}`),
    ...unfinished.map(({ id }) => `operation ${id} has not ended`),
    ...misplaced.map(({ name }) => `${name} does not lie where its name says`),
    ...stranded.map(({ path }) => `the copy ${path} arrives by no operation`),
    ...names.map(({ path }) => `the name ${path} belongs to nothing`),
  ];
}

/**
 * Returns the contradictions within the database and between database and storages; empty when no work is half done.
 * One root is that of the storage `default`.
 */
export async function findInconsistencies(sql: Sql, stored: string | Roots): Promise<string[]> {
  const roots: Roots = typeof stored === 'string' ? { default: stored } : stored;
  const faults = await Promise.all(Object.entries(roots).map(([name, root]) => findInStorage(sql, name, root)));
  return [...faults.flat(), ...(await findInDatabase(sql))];
}
