import { repositories, type StoredChangeset } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import type { ClaimedOperation, Executor } from '../../journal/claimed-operation.ts';
import { toStoredChangeset } from '../tip-store.ts';
import { undoCreation } from './create-executor.ts';
import { completeChange, loadRepository, type ExecutorTools } from './executor-tools.ts';

interface Source {
  readonly path: string;
  readonly lastChangeset: StoredChangeset | null;
}

/** What a fork is made from; it can neither go nor change while the journal has the fork running. */
async function requireSource({ db, backends, storage }: ExecutorTools, operation: ClaimedOperation): Promise<Source> {
  const ofSource = eq(repositories.id, operation.sourceRepositoryId ?? 0);
  return db.transaction(async (tx) => {
    // Locked, since several forks may be made at once and each would repair what a cut-off write left.
    const [source] = await tx.select().from(repositories).where(ofSource).for('no key update');
    if (!source) throw new Error(`operation ${operation.id} has no source`);
    const path = storage.absolute(source.storagePath);
    if (!source.needsRecovery) return { path, lastChangeset: source.lastChangeset };
    const backend = backends[source.type];
    await backend.recover(path);
    const lastChangeset = toStoredChangeset(await backend.tip(path));
    const generation = sql`${repositories.generation} + 1`;
    await tx.update(repositories).set({ needsRecovery: false, lastChangeset, generation }).where(ofSource);
    return { path, lastChangeset };
  });
}

/** Copies a repository beside the others, by hard links, and moves the copy into place when it is whole. */
export function forkExecutor(tools: ExecutorTools): Executor {
  const { storage, backends } = tools;
  return {
    restartable: true,
    failureText: ({ request }) =>
      `failed to fork repository \`${String(request['source'])}\` as \`${String(request['name'])}\``,
    async run(operation, signal, report) {
      const { storagePath, type, uuid } = await loadRepository(tools, operation);
      const source = await requireSource(tools, operation);
      // An earlier attempt may have ended between the move and its record.
      if (!(await storage.exists(storagePath))) {
        const staging = storage.staging(operation.id, operation.attempt);
        await backends[type].fork(source.path, staging, uuid, signal, report);
        signal.throwIfAborted();
        await storage.publish(staging, storagePath);
      }
      await completeChange(tools, operation, source.lastChangeset);
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
