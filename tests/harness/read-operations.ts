import type { Sql } from 'postgres';

export interface OperationRow {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  readonly error: string | null;
}

/** Returns the operations of a kind on the repository of this name, the oldest first. */
export async function readOperations(sql: Sql, kind: string, name: string): Promise<OperationRow[]> {
  const rows = await sql<OperationRow[]>`
    select id, state, attempt, finished_at as "finishedAt", error from operations
      where kind = ${kind} and request->>'name' = ${name} order by created_at`;
  return rows.map((row) => ({ ...row }));
}
