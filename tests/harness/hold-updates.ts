import postgres from 'postgres';
import { eventually } from './eventually.ts';

/** Key of the advisory lock. */
const lock = 4711;

export interface Hold {
  /** Waits until a transaction waits for the held update. */
  reached(): Promise<unknown>;
  release(): Promise<void>;
}

/**
 * Makes updates such as `state on operations`, where the SQL condition is true, wait for an advisory lock until the
 * release: without the time limit of a lock, after which a transaction begins anew on an idle connection.
 */
export async function holdUpdates(
  { sql, databaseUrl }: { readonly sql: postgres.Sql; readonly databaseUrl: string },
  updates: string,
  condition = 'true',
): Promise<Hold> {
  const holder = postgres(databaseUrl, { max: 1 });
  await holder`select pg_advisory_lock(${lock})`;
  await sql.unsafe(`
    create or replace function hold() returns trigger language plpgsql set lock_timeout = 0 as $$ begin
      perform pg_advisory_xact_lock_shared(${lock}); return new; end $$;
    create or replace trigger hold before update of ${updates} for each row when (${condition}) execute function hold();`);
  return {
    reached: () =>
      eventually(
        // Other databases of the server have locks of their own.
        () => sql`select 1 from pg_locks where locktype = 'advisory' and not granted and objid = ${lock}
          and database = (select oid from pg_database where datname = current_database())`,
        (rows) => rows.length > 0,
      ),
    release: () => holder.end(),
  };
}
