import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, OperationRunner, ReportProgress } from '../operations/claimed-operation.ts';
import { forkFailureText } from '../../domain/repo/failure-texts.ts';
import { requireRecordedTip } from '../../domain/repo/require-recorded-tip.ts';
import { withRemoteFailure } from '../../domain/repo/with-remote-failure.ts';
import { undoCreation } from './create-runner.ts';
import { completeChange, indexHistory, loadRepository, nameIn, type RunnerTools } from './runner-tools.ts';
import { completeElsewhere } from './fork-elsewhere.ts';
import { repairedForkSource } from './repaired-fork-source.ts';

function failureTextOf(operation: ClaimedOperation): string {
  return forkFailureText(String(operation.request['source']), nameIn(operation));
}

interface Fork {
  readonly repository: Awaited<ReturnType<typeof loadRepository>>;
  readonly source: Awaited<ReturnType<typeof repairedForkSource>>;
  readonly staging: string;
}

/**
 * Returns the runner that copies a repository to staging, by hard links, and renames the complete copy to its path, or
 * copies it to the storage where it belongs.
 */
export function forkRunner(tools: RunnerTools): OperationRunner {
  const { storages, backends } = tools;

  const build = async (
    operation: ClaimedOperation,
    { repository: { type, uuid }, source, staging }: Fork,
    signal: AbortSignal,
    report: ReportProgress,
  ) => {
    await requireRecordedTip(backends[type], source.path, source.lastChangeset?.rawId ?? null);
    await backends[type].fork(source.path, staging, uuid, signal, report);
    await indexHistory(tools, operation, { type, path: staging }, signal);
    crashPoint('fork.copied');
  };

  return {
    restartable: true,
    failureText: failureTextOf,
    recordedText: (operation, error) => withRemoteFailure(failureTextOf(operation), error),
    async run(operation, signal, report) {
      const repository = await loadRepository(tools, operation);
      const { storagePath, storageId } = repository;
      const storage = storages.of(operation);
      const source = await repairedForkSource(tools, operation, signal);
      const staging = storage.staging(operation.id, operation.attempt);
      if (storageId !== operation.storageId) {
        await build(operation, { repository, source, staging }, signal, report);
        const built = { path: staging, repository, lastChangeset: source.lastChangeset };
        return completeElsewhere(tools, operation, built, signal, report);
      }
      // An earlier attempt may have ended after the rename, but before the rename was recorded.
      if (!(await storage.isPublished(storagePath))) {
        await build(operation, { repository, source, staging }, signal, report);
        await storage.publish(staging, storagePath, signal);
      }
      await completeChange(tools, operation, repository, source.lastChangeset);
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
