import { setTimeout as wait } from 'node:timers/promises';
import { repositories, type StoredChangeset } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { crashPoint } from '../crash-points.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { claimRepair, requireLease } from '../operations/operation-store.ts';
import { toStoredChangeset } from '../repo/tip-store.ts';
import { withWriteLock, type RunnerTools } from './runner-tools.ts';

interface Source {
  readonly path: string;
  readonly lastChangeset: StoredChangeset | null;
}

const lookAgainMs = 200;

/** The source as it is, and whether this fork has to repair it or another one does that just now. */
async function look({ db, worker }: RunnerTools, operation: ClaimedOperation) {
  const ofSource = eq(repositories.id, operation.sourceRepositoryId ?? 0);
  return db.transaction(async (tx) => {
    const [source] = await tx.select().from(repositories).where(ofSource).for('no key update');
    if (!source) throw new Error(`operation ${operation.id} has no source`);
    const repairs = source.needsRecovery && (await claimRepair(tx, operation, worker));
    return { source, repairs };
  });
}

async function repair(
  tools: RunnerTools,
  operation: ClaimedOperation,
  source: typeof repositories.$inferSelect,
): Promise<Source> {
  crashPoint('fork.source-chosen');
  const { db, worker, backends, storage } = tools;
  const backend = backends[source.type];
  const lastChangeset = await withWriteLock(tools, operation, source, async (path) => {
    await backend.recover(path);
    return toStoredChangeset(await backend.tip(path));
  });
  crashPoint('fork.source-repaired');
  await db.transaction(async (tx) => {
    const ofSource = eq(repositories.id, source.id);
    await tx.select({ id: repositories.id }).from(repositories).where(ofSource).for('no key update');
    await requireLease(tx, operation, worker);
    const generation = sql`${repositories.generation} + 1`;
    await tx.update(repositories).set({ needsRecovery: false, lastChangeset, generation }).where(ofSource);
  });
  return { path: storage.absolute(source.storagePath), lastChangeset };
}

/**
 * What a fork is made from, which can neither go nor change while the journal has the fork running. Several forks may be
 * made of it at once: one of them repairs what a cut-off write left, and holds no row meanwhile; the others wait.
 */
export async function repairedForkSource(
  tools: RunnerTools,
  operation: ClaimedOperation,
  signal: AbortSignal,
): Promise<Source> {
  for (;;) {
    const { source, repairs } = await look(tools, operation);
    if (repairs) return repair(tools, operation, source);
    const { storagePath, lastChangeset, needsRecovery } = source;
    if (!needsRecovery) return { path: tools.storage.absolute(storagePath), lastChangeset };
    await wait(lookAgainMs, undefined, { signal });
  }
}
