import type { Sql } from 'postgres';

/** Returns the outcomes of all pushes into a repository, as the audit log has them, with their errors. */
export async function outcomesOf(sql: Sql, name: string): Promise<unknown[][]> {
  const rows = await sql`
    select outcome, error from audit_log where method = 'push' and args->>'repoid' = ${name} order by id`;
  return rows.map(({ outcome, error }) => [outcome, error]);
}
