import { crashPoint } from '../crash-points.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { forkFailureText } from '../repo/creation-failure.ts';
import { requireRecordedTip } from '../repo/require-recorded-tip.ts';
import { withRemoteFailure } from '../repo/with-remote-failure.ts';
import { undoCreation } from './create-runner.ts';
import { completeChange, indexHistory, loadRepository, nameIn, type RunnerTools } from './runner-tools.ts';
import { repairedForkSource } from './repaired-fork-source.ts';

function failureTextOf(operation: ClaimedOperation): string {
  return forkFailureText(String(operation.request['source']), nameIn(operation));
}

/** Returns the runner that copies a repository to staging, by hard links, and renames the complete copy to its path. */
export function forkRunner(tools: RunnerTools): OperationRunner {
  const { storages, backends } = tools;
  return {
    restartable: true,
    failureText: failureTextOf,
    recordedText: (operation, error) => withRemoteFailure(failureTextOf(operation), error),
    async run(operation, signal, report) {
      const { storagePath, type, uuid } = await loadRepository(tools, operation);
      const storage = storages.of(operation);
      const source = await repairedForkSource(tools, operation, signal);
      // An earlier attempt may have ended after the rename, but before the rename was recorded.
      if (!(await storage.exists(storagePath))) {
        const staging = storage.staging(operation.id, operation.attempt);
        await requireRecordedTip(backends[type], source.path, source.lastChangeset?.rawId ?? null);
        await backends[type].fork(source.path, staging, uuid, signal, report);
        await indexHistory(tools, operation, { type, path: staging }, signal);
        crashPoint('fork.copied');
        await storage.publish(staging, storagePath, signal);
      }
      await completeChange(tools, operation, { storagePath }, source.lastChangeset);
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
