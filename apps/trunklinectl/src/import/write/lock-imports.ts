import type { Database, Db } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { RefusedError } from '../../errors.ts';

/** Key of the advisory lock that keeps imports apart. */
const lockKey = 7_316_404;

/** Throws RefusedError when the lock is no longer this process's. */
export type RequireLock = (tx: Db) => Promise<void>;

async function readBackend(db: Db): Promise<number | undefined> {
  const [row] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return row?.pid;
}

/** Locks out other imports. The lock belongs to the only connection, and goes with it: each transaction looks for it. */
export async function lockImports(db: Database): Promise<RequireLock> {
  const [row] = await db.execute<{ locked: boolean; pid: number }>(
    sql`select pg_try_advisory_lock(${lockKey}) as locked, pg_backend_pid() as pid`,
  );
  if (!row?.locked) throw new RefusedError('another import runs');
  return async (tx) => {
    if ((await readBackend(tx)) === row.pid) return;
    throw new RefusedError('the connection to the database was lost: run the import again');
  };
}
