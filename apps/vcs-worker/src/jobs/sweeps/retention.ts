import type { Database, Db } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { sql } from 'drizzle-orm';
import { removeOldAudit } from '../../domain/audit/audit-store.ts';
import { removeCountedRefusals } from '../../domain/audit/refusal-store.ts';
import { forgetLost } from '../deleted/trash-store.ts';
import { removeOldFetches } from '../../vcs-http/fetches/fetch-store.ts';
import { removeEndedSessions } from '../../domain/user/session-store.ts';
import { removeInBatches, type Batch, type Removed } from './remove-in-batches.ts';
import { removeEnded } from '../operations/operation-store.ts';

export interface RetentionOptions {
  readonly db: Database;
  /** Days for which operations are kept after their end, and counts of clones and fetches. */
  readonly operationDays: number;
  /** Days for which the audit log is kept; 0 keeps all of it. */
  readonly auditDays: number;
  /** Days for which the files of deleted repositories are kept. */
  readonly trashDays: number;
  readonly logger: Logger;
}

/** Removes what is older than it is kept for, until nothing of it is left or the signal fires. */
export type Retention = (signal: AbortSignal) => Promise<void>;

type Removal<Key> = (db: Db, batch: Batch<Key>) => Promise<Removed<Key>>;

const retentionLock = 0x7472_6d77;

/** Takes the lock until the transaction ends, without waiting, so that a frozen worker keeps it for a minute at most. */
async function tryLock(db: Db): Promise<boolean> {
  const [row] = await db.execute(sql`select pg_try_advisory_xact_lock(${retentionLock}::bigint) as locked`);
  return row?.['locked'] === true;
}

/** Returns the removal of old rows. A worker that meets another one at it leaves the rest to that one. */
export function createRetention(options: RetentionOptions): Retention {
  const { db, operationDays, auditDays, trashDays, logger } = options;
  async function removeAlone<Key>(remove: Removal<Key>, signal: AbortSignal): Promise<boolean> {
    const leaving = new AbortController();
    const removeBatch = (batch: Batch<Key>) =>
      db.transaction(async (tx): Promise<Removed<Key>> => {
        if (await tryLock(tx)) return remove(tx, batch);
        logger.info('another worker removes old rows');
        leaving.abort();
        return { rows: 0, last: null };
      });
    await removeInBatches(removeBatch, AbortSignal.any([signal, leaving.signal]));
    return !leaving.signal.aborted;
  }
  return async (signal) => {
    const goesOn =
      (await removeAlone((tx, batch: Batch<Date>) => removeEnded(tx, operationDays, batch), signal)) &&
      (await removeAlone((tx, batch: Batch<number>) => removeOldFetches(tx, operationDays, batch), signal)) &&
      (await removeAlone((tx, batch: Batch<Date>) => forgetLost(tx, trashDays, batch), signal)) &&
      (await removeAlone(removeEndedSessions, signal)) &&
      (await removeAlone(removeCountedRefusals, signal));
    if (goesOn && auditDays > 0) {
      await removeAlone((tx, batch: Batch<number>) => removeOldAudit(tx, auditDays, batch), signal);
    }
  };
}
