import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { branchRefusal, updateFailureText } from '../../domain/repo/failure-texts.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { repairRepository } from './repair-repository.ts';
import { completeChange, finishOperation, loadRepository, withWriteLock, type RunnerTools } from './runner-tools.ts';

const branchIn = ({ request }: ClaimedOperation) => String(request['branch']);

/** Returns the runner that has HEAD of a git repository lead to another branch, which may be repeated. */
export function defaultBranchRunner(tools: RunnerTools): OperationRunner {
  const { backends, storages } = tools;
  return {
    restartable: true,
    failureText(operation, error) {
      const isMissing = error instanceof VcsError && error.kind === 'unknown-revision';
      return isMissing
        ? branchRefusal(branchIn(operation)).message
        : updateFailureText(String(operation.request['sent']));
    },
    async runAttempt(operation) {
      const repository = await loadRepository(tools, operation);
      const backend = backends[repository.type];
      const lastChangeset = repository.needsRecovery
        ? await repairRepository(tools, operation, repository)
        : repository.lastChangeset;
      await withWriteLock(tools, operation, repository, async (path) => {
        // A lock on HEAD that exists under the write lock was left by a dead process.
        await backend.recover(path);
        await backend.setDefaultBranch(path, branchIn(operation));
      });
      crashPoint('default-branch.changed');
      await completeChange(tools, operation, repository, lastChangeset);
    },
    async undo(operation, error) {
      const repository = await loadRepository(tools, operation);
      const path = storages.of(operation).absolute(repository.storagePath);
      // An attempt that changed HEAD, and could not record it, is completed: the former branch is not known any more.
      const isChanged = (await backends[repository.type].defaultBranch(path)) === branchIn(operation);
      if (isChanged && repository.defaultBranch !== branchIn(operation)) {
        const { lastChangeset, needsRecovery } = repository;
        await completeChange(tools, operation, repository, lastChangeset, { needsRecovery });
      } else {
        await finishOperation(tools, operation, { state: 'failed', error }, async () => {});
      }
    },
  };
}
