import type { Database, Transaction } from '@trunkline/db';

/** Reads in one transaction, all of whose statements see the database as the first one does. */
export function inSnapshot<T>(db: Database, read: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}
