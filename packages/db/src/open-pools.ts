import { sql } from 'drizzle-orm';
import { type Database, openDatabase, type PoolOptions } from './database.ts';
import { watchServer } from './watch-server.ts';

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

export interface Pools<Name extends string> {
  readonly db: Readonly<Record<Name, Database>>;
  /**
   * Throws, with a sentence for the operator, when Postgres does not allow the connections of this process beside those
   * that other processes of Trunkline declare; warns when connections of other programs leave too few.
   */
  requireConnections(warn: (text: string) => void): Promise<void>;
  /** Watches the server until the pools are closed; `say` gets sentences for the log. See `watchServer`. */
  watch(say: (text: string) => void): void;
  close(): Promise<void>;
}

/**
 * Reads how many connections Postgres allows this role, and the names of those that are open. It tells the role neither
 * the kind nor the state of connections of other roles, but their user: the server's own processes have none.
 */
async function readServer(db: Database): Promise<{ allowed: number; names: string[] }> {
  const [row] = await db.execute<{ allowed: number; names: string[] }>(sql`
    select current_setting('max_connections')::int - case when rolsuper then 0
        else current_setting('superuser_reserved_connections')::int
          + coalesce(current_setting('reserved_connections', true)::int, 0) end as allowed,
      array(select coalesce(application_name, '') from pg_stat_activity
        where usesysid is not null and datid is not null and pid <> pg_backend_pid()) as names
    from pg_roles where rolname = current_user`);
  if (!row) throw new Error('the database role is unknown');
  return row;
}

/** Opens the pools of a process. The name of each connection declares the sum over all of them. */
export function openPools<Name extends string>(
  url: string,
  process: string,
  pools: Readonly<Record<Name, PoolOptions>>,
): Pools<Name> {
  const names = Object.keys(pools) as Name[];
  const own = names.reduce((sum, name) => sum + pools[name].connectionsMax, 0);
  const opened = names.map((name) => {
    const open = openDatabase(url, { ...pools[name], name: connectionName(process, name, own) });
    return [name, open] as const;
  });
  let endWatch = () => {};
  const db = Object.fromEntries(opened.map(([name, open]) => [name, open.db])) as Record<Name, Database>;
  return {
    db,
    async requireConnections(warn) {
      const [first] = opened;
      if (!first) return;
      const { allowed, names: connected } = await readServer(first[1].db);
      const { declared, others } = sumConnections(connected, process);
      const text =
        `This process opens up to ${own} database connections, other processes of Trunkline up to ${declared}, and ` +
        `${others} are open otherwise; Postgres allows ${allowed}: raise its max_connections, or lower the settings of ` +
        'the pools (docs/running/postgres.md)';
      if (own + declared > allowed) throw new Error(text);
      if (own + declared + others > allowed) warn(text);
    },
    watch(say) {
      const clients = opened.map(([, { client }]) => client);
      endWatch = watchServer({ url, name: connectionName(process, 'watch', own), clients, say });
    },
    async close() {
      endWatch();
      await Promise.all(opened.map(([, open]) => open.close()));
    },
  };
}
