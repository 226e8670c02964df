import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import type { Db } from '../database.ts';
import { isLockTimeout } from '../pg-error.ts';

/** Key of the advisory lock that a backup holds, so that no trash is emptied meanwhile. */
const holdKey = 7_236_404;

/** Returns whether a backup needs what the trash has. The lock of a backup that is killed ends with its connection. */
export async function isTrashHeld(db: Db): Promise<boolean> {
  const [row] = await db.execute<{ free: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(${holdKey}::bigint) as free`,
  );
  return row?.free !== true;
}

/** Another backup holds the trash. */
export class TrashHeldError extends Error {
  override readonly name = 'TrashHeldError';
}

/** Has Postgres end the session of a process that is frozen, or whose machine is gone, within minutes. */
async function limitSession(client: postgres.Sql): Promise<void> {
  await client`
    select set_config(wanted.name, wanted.value, false)
    from (values ('lock_timeout', '3s'), ('idle_session_timeout', '300s'), ('tcp_keepalives_idle', '60'),
      ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '6')) wanted(name, value)
    where exists (select from pg_settings s where s.name = wanted.name)`;
}

/** Keeps the trash of all storages from being emptied while this connection lives; throws TrashHeldError. */
export async function holdTrash(client: postgres.Sql): Promise<void> {
  await limitSession(client);
  try {
    await client`select pg_advisory_lock(${holdKey}::bigint)`;
  } catch (error) {
    if (isLockTimeout(error)) throw new TrashHeldError('another backup is being made', { cause: error });
    throw error;
  }
}

/** Returns whether the session of this connection holds the trash; also keeps the session from being idle. */
export async function holdsTrash(client: postgres.Sql): Promise<boolean> {
  const rows = await client`
    select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and objid = ${holdKey}::bigint::oid
      and mode = 'ExclusiveLock' and granted`;
  return rows.length > 0;
}
