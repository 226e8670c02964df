import { adoptionFailureText } from '../../domain/repo/failure-texts.ts';
import type { OperationRunner } from '../operations/claimed-operation.ts';
import { crashPoint } from '../../crash-points.ts';
import { makeDurable } from '../../storage/durable.ts';
import { toStoredChangeset } from '../../domain/repo/tip-store.ts';
import { undoCreation } from './create-runner.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import {
  completeChange,
  indexHistory,
  loadRepository,
  nameIn,
  rollbackCreation,
  type RunnerTools,
} from './runner-tools.ts';

/** Returns the text of an adoption that failed, with the reason where it lies in the repository. */
export function recordedAdoptionText(text: string, error: unknown): string {
  return error instanceof VcsError && error.kind === 'not-adoptable' ? `${text}: ${error.message}` : text;
}

/** Paths below which the service itself puts repositories; an import has copied one there before it is adopted. */
const ownPaths = '@repos/';

/**
 * Returns the runner that adopts a repository at the path where an operator placed it, whose bytes stay in any case, or
 * to which an import has copied it.
 */
export function adoptRunner(tools: RunnerTools): OperationRunner {
  const { storages, backends } = tools;
  return {
    restartable: true,
    failureText: (operation) => adoptionFailureText(nameIn(operation)),
    recordedText: (operation, error) => recordedAdoptionText(adoptionFailureText(nameIn(operation)), error),
    async run(operation, signal) {
      const repository = await loadRepository(tools, operation);
      const { storagePath, type, uuid } = repository;
      const backend = backends[type];
      const path = await storages.of(operation).plainPath(storagePath);
      await backend.inspect(path);
      crashPoint('adopt.inspected');
      await backend.replaceConfiguration(path, uuid);
      crashPoint('adopt.configuration-replaced');
      // A former writer may have left locks, so the repository is marked for recovery below.
      const tip = toStoredChangeset(await backend.tip(path));
      crashPoint('adopt.tip-read');
      await indexHistory(tools, operation, { type, path }, signal);
      // It may have been put there moments ago.
      await makeDurable(path);
      await completeChange(tools, operation, repository, tip, { needsRecovery: true });
    },
    async undo(operation, error) {
      const { storagePath } = await loadRepository(tools, operation);
      const undo = storagePath.startsWith(ownPaths) ? undoCreation : rollbackCreation;
      await undo(tools, operation, error);
    },
  };
}
