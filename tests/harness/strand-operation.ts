import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';

/** Inserts an operation on a repository, whose worker is gone; returns its id. */
export async function strandOperation(sql: Sql, kind: string, request: { readonly name: string }): Promise<string> {
  const id = randomUUID();
  await sql`insert into operations (id, kind, repository_id, storage_id, request, state, worker, attempt, lease_until)
    select ${id}, ${kind}, id, storage_id, ${sql.json({ ...request })}, 'running', 'gone', 1,
      now() - interval '1 s' from repositories where name = ${request.name}`;
  return id;
}
