import type { Database, Db, ImportedParts, SecretVault, Transaction } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { RefusedError } from '../../errors.ts';
import type { Finding } from '../plan/finding.ts';
import type { Here } from '../plan/here.ts';
import type { Digests } from './secrets.ts';

/** Key of the advisory lock that keeps imports apart. */
const lockKey = 7_316_404;

/** Throws RefusedError when the lock is no longer this process's. */
type RequireLock = (tx: Db) => Promise<void>;

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

/** What each step of an import uses. */
export interface Writing {
  readonly db: Database;
  /** Each transaction calls it first. */
  readonly requireLock: RequireLock;
  readonly vault: SecretVault;
  readonly digests: Digests;
  readonly here: Here;
  readonly source: string;
  /** The administrator who owns what has no other owner. */
  readonly firstAdminId: number;
  /** The user whose rows apply to everybody. */
  readonly defaultUserId: number;
  readonly sums: Sums;
  readonly findings: Finding[];
  /** Ids here by those of the source. */
  readonly ids: Readonly<Record<'users' | 'userGroups' | 'repoGroups' | 'repositories', Map<number, number>>>;
}

export interface Sums {
  created: number;
  changed: number;
  unchanged: number;
}

const batchSize = 50;

/** Runs `write` for all of a list, some of them in each transaction. */
export async function inBatches<T>(
  { db, requireLock }: Pick<Writing, 'db' | 'requireLock'>,
  all: readonly T[],
  write: (tx: Transaction, one: T) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < all.length; from += batchSize) {
    await db.transaction(async (tx) => {
      await requireLock(tx);
      for (const one of all.slice(from, from + batchSize)) await write(tx, one);
    });
  }
}

/** Counts what was written of one object. */
export function count(sums: Sums, isNew: boolean, changed: ReadonlySet<string>): void {
  if (isNew) sums.created += 1;
  else if (changed.size > 0) sums.changed += 1;
  else sums.unchanged += 1;
}

/** Reports what has changed here and in the source, so that an administrator can compare them. */
export function tellKept(findings: Finding[], about: string, kept: readonly string[]): void {
  if (kept.length === 0) return;
  findings.push({ kind: 'kept', about, what: kept.join(', ') });
}

/** What is known of an object that no import has brought yet. */
export const nothingBrought: ImportedParts = { digests: {}, lists: {} };

const chunkSize = 1_000;

/** Runs `act` for all rows, by statements of bounded size. */
export async function inChunks<T>(rows: readonly T[], act: (chunk: T[]) => PromiseLike<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += chunkSize) await act(rows.slice(from, from + chunkSize));
}
