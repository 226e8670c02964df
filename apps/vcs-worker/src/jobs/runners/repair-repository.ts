import { repositories, type StoredChangeset } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { requireLease } from '../operations/operation-store.ts';
import { requireRecordedTip, toStoredChangeset } from '../../domain/repo/recorded-state.ts';
import { makeDurable } from '../../storage/durable.ts';
import { withWriteLock, type RunnerTools } from './runner-tools.ts';

/**
 * Repairs a repository after an interrupted write; returns its tip. Commits the repair at once, since the rest of the
 * operation may still fail.
 */
export async function repairRepository(
  tools: RunnerTools,
  operation: ClaimedOperation,
  repository: typeof repositories.$inferSelect,
): Promise<StoredChangeset | null> {
  const { transactions, worker, backends } = tools;
  const backend = backends[repository.type];
  await backend.waitForMemory();
  const lastChangeset = await withWriteLock(tools, operation, repository, async (path) => {
    await backend.recover(path);
    await requireRecordedTip(backend, path, repository.lastChangeset?.rawId ?? null);
    const tip = toStoredChangeset(await backend.tip(path));
    // The files that an interrupted write has left become part of the repository.
    await makeDurable(path);
    return tip;
  });
  crashPoint('repair.recovered');
  await transactions.runWithoutCall(async (tx) => {
    const ofRepository = eq(repositories.id, repository.id);
    await tx.select({ id: repositories.id }).from(repositories).where(ofRepository).for('no key update');
    await requireLease(tx, operation, worker);
    const generation = sql`${repositories.generation} + 1`;
    await tx.update(repositories).set({ needsRecovery: false, lastChangeset, generation }).where(ofRepository);
  });
  return lastChangeset;
}
