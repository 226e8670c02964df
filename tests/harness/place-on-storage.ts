import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type postgres from 'postgres';

/** Copies the bytes of a repository to another storage and has its row say so, as an operator could by hand. */
export async function placeOnStorage(
  sql: postgres.Sql,
  roots: Readonly<Record<string, string>>,
  name: string,
  storage: string,
): Promise<void> {
  const [row] = await sql<{ path: string; from: string }[]>`
    select r.storage_path as path, s.name as from from repositories r join storages s on s.id = r.storage_id
      where r.name = ${name}`;
  if (!row) throw new Error(`there is no repository ${name}`);
  const [from, to] = [row.from, storage].map((one) => join(roots[one] ?? '', row.path)) as [string, string];
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true });
  await sql`update repositories set storage_id = (select id from storages where name = ${storage}) where name = ${name}`;
  await rm(from, { recursive: true });
}
