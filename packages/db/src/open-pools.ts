import { sql } from 'drizzle-orm';
import { connectionName, sumConnections } from './connection-names.ts';
import { openDatabase, type Database, type PoolOptions } from './database.ts';
import { watchServer } from './watch-server.ts';

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
