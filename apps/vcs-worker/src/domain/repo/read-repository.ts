import { BusyError, UnavailableError, type RpcError } from '@trunkline/contracts';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import type { RepositoryState, VcsReads } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { Storage } from '../../storage/storage.ts';
import { requireRecordedTip } from './require-recorded-tip.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

type Repository = Omit<RepositoryAccess, 'name' | 'level' | 'isFork'>;
type ReadTools = Pick<RepositoryTools, 'backends' | 'noteUnreadable'> & {
  readonly storages: { readonly of: (repository: Repository) => Pick<Storage, 'absolute' | 'isOurs'> };
  readonly signal?: AbortSignal;
};

function stateOf({ uuid, generation, tipId, tipRevision }: Repository): RepositoryState {
  const tip = tipId === null || tipRevision === null ? null : { rawId: tipId, revision: tipRevision };
  return { uuid, generation, tip };
}

const absences = ['unknown-revision', 'unknown-path', 'empty-repository'];

/** Returns a "not found" error as it is only if the recorded tip still exists; otherwise the repository is damaged. */
async function confirmedError(error: VcsError, { tipId }: Repository, backend: VcsReads, path: string) {
  if (tipId === null || !absences.includes(error.kind)) return error;
  try {
    await requireRecordedTip(backend, path, tipId);
    // Reads every changeset, at most once a minute, and so detects a damaged history.
    if (error.kind !== 'unknown-path') await backend.tip(path);
    return error;
  } catch (cause) {
    return cause instanceof VcsError ? cause : error;
  }
}

/**
 * Runs a read of a repository, whose processes end when the signal aborts. When it fails, throws the client's error,
 * and notes a damaged repository.
 */
export async function readRepository<T>(
  { storages, backends, noteUnreadable, signal }: ReadTools,
  repository: Repository,
  toClientError: (error: VcsError) => RpcError,
  read: (backend: VcsReads, path: string) => Promise<T>,
): Promise<T> {
  const backend = signal ? backends[repository.type].forCall(signal, stateOf(repository)) : backends[repository.type];
  const storage = storages.of(repository);
  const path = storage.absolute(repository.storagePath);
  try {
    return await read(backend, path);
  } catch (thrown) {
    if (!(thrown instanceof VcsError)) throw thrown;
    const error = await confirmedError(thrown, repository, backend, path);
    if (error.kind === 'busy') throw new BusyError({ quota: 'memory', cause: error });
    if (error.kind !== 'failed') throw toClientError(error);
    // The repositories of an unmounted storage are not damaged.
    if (!(await storage.isOurs())) throw new UnavailableError({ cause: error });
    noteUnreadable(repository);
    throw toClientError(error);
  }
}
