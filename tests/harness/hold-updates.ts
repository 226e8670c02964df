import postgres from 'postgres';
import { eventually } from './eventually.ts';

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
  await holder`select pg_advisory_lock(4711)`;
  await sql.unsafe(`
    create function hold() returns trigger language plpgsql set lock_timeout = 0 as $$ begin
      perform pg_advisory_xact_lock_shared(4711); return new; end $$;
    create trigger hold before update of ${updates} for each row when (${condition}) execute function hold();`);
  return {
    reached: () =>
      eventually(
        () => sql`select 1 from pg_locks where locktype = 'advisory' and not granted`,
        (rows) => rows.length > 0,
      ),
    release: () => holder.end(),
  };
}
