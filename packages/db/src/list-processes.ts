import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';

/** A gateway or worker that has a connection to the database, whether it runs or stands still. */
export interface ConnectedProcess {
  readonly role: 'gateway' | 'vcs-worker';
  readonly id: string;
}

const processesMax = 1_000;
const named = /^(gateway|vcs-worker) ([0-9a-f-]{36}) /;

/** Lists the gateways and workers that are connected to this database, by the names of their connections. */
export async function listProcesses(db: Database): Promise<ConnectedProcess[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select distinct substring(application_name from '^(?:gateway|vcs-worker) [0-9a-f-]{36} ') as name
      from pg_stat_activity
      where datname = current_database() and application_name ~ '^(?:gateway|vcs-worker) [0-9a-f-]{36} '
      limit ${processesMax}`);
  return rows.flatMap(({ name }) => {
    const [, role, id] = named.exec(name) ?? [];
    return id !== undefined && (role === 'gateway' || role === 'vcs-worker') ? [{ role, id }] : [];
  });
}
