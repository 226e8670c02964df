import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';

/** Matches the name of a connection that declares how many connections its process opens at most. */
const declaring = /^((?:gateway|vcs-worker) \S+) \S+ (\d+)$/;

/** Returns the name of a pool's connections. Postgres cuts names after 63 bytes. */
export function connectionName(process: string, pool: string, sum: number): string {
  return `${process} ${pool} ${sum}`;
}

export interface ConnectionSum {
  /** Connections that other processes of Trunkline declare. */
  readonly declared: number;
  /** Open connections of all others, which may end or grow. */
  readonly others: number;
}

/** Sums up the connections of a server from their names, without those of the process `own`. */
export function sumConnections(names: readonly string[], own: string): ConnectionSum {
  const declaredBy = new Map<string, number>();
  let others = 0;
  for (const name of names) {
    const [, process, sum] = declaring.exec(name) ?? [];
    if (process === undefined) others += 1;
    else if (process !== own) declaredBy.set(process, Math.max(Number(sum), declaredBy.get(process) ?? 0));
  }
  return { declared: [...declaredBy.values()].reduce((sum, one) => sum + one, 0), others };
}

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
