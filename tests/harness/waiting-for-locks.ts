import type postgres from 'postgres';

/** Returns the backends of this database that wait for locks; other tests use other databases of the same server. */
export async function waitingForLocks(sql: postgres.Sql): Promise<readonly { pid: number }[]> {
  return sql<{ pid: number }[]>`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
}
