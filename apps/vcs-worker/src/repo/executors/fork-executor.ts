import { repositories } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import type { ClaimedOperation, Executor } from '../../journal/claimed-operation.ts';
import { undoCreation } from './create-executor.ts';
import { completeChange, loadRepository, type ExecutorTools } from './executor-tools.ts';

/** Where what a fork is made from lies; it cannot go while the journal has the fork running. */
async function requireSource({ db, backends, storage }: ExecutorTools, operation: ClaimedOperation): Promise<string> {
  const ofSource = eq(repositories.id, operation.sourceRepositoryId ?? 0);
  return db.transaction(async (tx) => {
    // Locked, since several forks may be made at once and each would repair what a cut-off write left.
    const [source] = await tx.select().from(repositories).where(ofSource).for('no key update');
    if (!source) throw new Error(`operation ${operation.id} has no source`);
    const path = storage.absolute(source.storagePath);
    if (source.needsRecovery) {
      await backends[source.type].recover(path);
      await tx.update(repositories).set({ needsRecovery: false }).where(ofSource);
    }
    return path;
  });
}

/** Copies a repository beside the others, by hard links, and moves the copy into place when it is whole. */
export function forkExecutor(tools: ExecutorTools): Executor {
  const { storage, backends } = tools;
  return {
    restartable: true,
    failureText: ({ request }) =>
      `failed to fork repository \`${String(request['source'])}\` as \`${String(request['name'])}\``,
    async run(operation, signal) {
      const { storagePath, type, uuid } = await loadRepository(tools, operation);
      // An earlier attempt may have ended between the move and its record.
      if (!(await storage.exists(storagePath))) {
        const source = await requireSource(tools, operation);
        const staging = storage.staging(operation.id, operation.attempt);
        await backends[type].fork(source, staging, uuid, signal);
        signal.throwIfAborted();
        await storage.publish(staging, storagePath);
      }
      await completeChange(tools, operation, await backends[type].tip(storage.absolute(storagePath)));
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
