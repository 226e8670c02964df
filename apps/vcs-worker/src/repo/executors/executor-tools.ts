import { repositories, type Database, type SecretVault } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import type { ClaimedOperation } from '../../journal/claimed-operation.ts';
import { endOperation } from '../../journal/journal-store.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Changeset, VcsBackend } from '../../vcs/backend.ts';
import { toStoredChangeset } from '../tip-store.ts';

export interface ExecutorTools {
  readonly db: Database;
  readonly worker: string;
  readonly storage: Storage;
  readonly vault: SecretVault;
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
  readonly sshEnabled: boolean;
}

/** The repository an operation works on, in whatever state it is. */
export async function loadRepository({ db }: ExecutorTools, operation: ClaimedOperation) {
  const [row] = await db.select().from(repositories).where(eq(repositories.id, operation.repositoryId));
  if (!row) throw new Error(`operation ${operation.id} has no repository`);
  return row;
}

/** Makes changed bytes visible: the newest changeset, a new generation and the end of the operation, all at once. */
export async function completeChange(
  { db, worker }: ExecutorTools,
  operation: ClaimedOperation,
  tip: Changeset | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    await endOperation(tx, operation, worker, { state: 'done' });
    await tx
      .update(repositories)
      .set({
        state: 'ready',
        generation: sql`${repositories.generation} + 1`,
        lastChangeset: toStoredChangeset(tip),
        needsRecovery: false,
      })
      .where(eq(repositories.id, operation.repositoryId));
  });
}

/** The name that the operation's texts show. */
export function nameIn(operation: ClaimedOperation): string {
  return String(operation.request['name']);
}
