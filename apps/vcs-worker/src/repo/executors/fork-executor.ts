import { repositories } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import type { ClaimedOperation, Executor } from '../../journal/claimed-operation.ts';
import { undoCreation } from './create-executor.ts';
import { completeChange, loadRepository, type ExecutorTools } from './executor-tools.ts';

/** What a fork is made from; it cannot go while the journal has the fork running. */
async function loadSource({ db }: ExecutorTools, { id, sourceRepositoryId }: ClaimedOperation) {
  const [source] = await db
    .select({ storagePath: repositories.storagePath })
    .from(repositories)
    .where(eq(repositories.id, sourceRepositoryId ?? 0));
  if (!source) throw new Error(`operation ${id} has no source`);
  return source;
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
        const source = await loadSource(tools, operation);
        const staging = storage.staging(operation.id, operation.attempt);
        await backends[type].fork(storage.absolute(source.storagePath), staging, uuid, signal);
        signal.throwIfAborted();
        await storage.publish(staging, storagePath);
      }
      await completeChange(tools, operation, await backends[type].tip(storage.absolute(storagePath)));
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
