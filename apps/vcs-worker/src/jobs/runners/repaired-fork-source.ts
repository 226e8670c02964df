import { setTimeout as wait } from 'node:timers/promises';
import { repositories, type StoredChangeset } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { claimRepair } from '../operations/operation-store.ts';
import type { RunnerTools } from './runner-tools.ts';
import { repairRepository } from './repair-repository.ts';

interface Source {
  readonly path: string;
  readonly lastChangeset: StoredChangeset | null;
}

const readAgainMs = 200;

/** Reads the source; returns it, and whether this fork has claimed its repair. */
async function readSource({ transactions, worker }: RunnerTools, operation: ClaimedOperation) {
  const ofSource = eq(repositories.id, operation.sourceRepositoryId ?? 0);
  return transactions.runWithoutCall(async (tx) => {
    const [source] = await tx.select().from(repositories).where(ofSource).for('no key update');
    if (!source) throw new Error(`operation ${operation.id} has no source`);
    const repairs = source.needsRecovery && (await claimRepair(tx, operation, worker));
    return { source, repairs };
  });
}

/**
 * Returns the source of a fork, which is neither deleted nor changed while the fork's operation runs. Of several
 * concurrent forks one repairs the source after an interrupted write, without a transaction; the others wait.
 */
export async function repairedForkSource(
  tools: RunnerTools,
  operation: ClaimedOperation,
  signal: AbortSignal,
): Promise<Source> {
  for (;;) {
    const { source, repairs } = await readSource(tools, operation);
    const path = tools.storages.of(source).absolute(source.storagePath);
    if (repairs) {
      crashPoint('fork.source-chosen');
      return { path, lastChangeset: await repairRepository(tools, operation, source) };
    }
    if (!source.needsRecovery) return { path, lastChangeset: source.lastChangeset };
    await wait(readAgainMs, undefined, { signal });
  }
}
