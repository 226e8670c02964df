import type { Database, Db } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { sql } from 'drizzle-orm';
import { removeOldAudit } from '../audit/audit-store.ts';
import { removeCountedRefusals } from '../audit/refusal-store.ts';
import { removeEndedSessions } from '../user/session-store.ts';
import { removeEnded } from './operation-store.ts';
import { removeInBatches, type Batch } from './remove-in-batches.ts';

export interface RetentionOptions {
  readonly db: Database;
  /** Days for which operations are kept after their end. */
  readonly operationDays: number;
  /** Days for which the audit log is kept; 0 keeps all of it. */
  readonly auditDays: number;
  readonly logger: Logger;
}

/** Removes what is older than it is kept for, until nothing of it is left or the signal fires. */
export type Retention = (signal: AbortSignal) => Promise<void>;

type Removal = (db: Db, batch: Batch) => Promise<readonly Date[]>;

const retentionLock = 0x7472_6d77;

/** Takes the lock until the transaction ends, without waiting, so that a frozen worker keeps it for a minute at most. */
async function tryLock(db: Db): Promise<boolean> {
  const [row] = await db.execute(sql`select pg_try_advisory_xact_lock(${retentionLock}::bigint) as locked`);
  return row?.['locked'] === true;
}

/** Returns the removal of old rows. A worker that meets another one at it leaves the rest to that one. */
export function createRetention({ db, operationDays, auditDays, logger }: RetentionOptions): Retention {
  const removals: readonly Removal[] = [
    (tx, batch) => removeEnded(tx, operationDays, batch),
    removeEndedSessions,
    removeCountedRefusals,
    ...(auditDays > 0 ? [(tx: Db, batch: Batch) => removeOldAudit(tx, auditDays, batch)] : []),
  ];
  return async (signal) => {
    const leaving = new AbortController();
    for (const remove of removals) {
      const removeAlone = (batch: Batch) =>
        db.transaction(async (tx) => {
          if (await tryLock(tx)) return remove(tx, batch);
          logger.info('another worker removes old rows');
          leaving.abort();
          return [];
        });
      await removeInBatches(removeAlone, AbortSignal.any([signal, leaving.signal]));
    }
  };
}
