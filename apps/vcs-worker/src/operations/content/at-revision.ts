import { NotFoundError, OperationFailedError, type EntityRef } from '@trunkline/contracts';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { resolveRevision } from '../../repo/resolve-revision.ts';
import type { VcsBackend } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { ReadContext } from '../context.ts';

type Revision = string | number | null;

/** One changeset of the repository that a view shows. */
export interface AtRevision {
  readonly repository: RepositoryAccess;
  readonly backend: VcsBackend;
  /** Where the repository is. */
  readonly path: string;
  readonly rawId: string;
}

function shownError(error: VcsError, revision: Revision): Error {
  if (error.kind === 'unknown-revision') return new NotFoundError(`Unknown revision ${revision}`, { cause: error });
  if (error.kind === 'empty-repository') return new NotFoundError('Empty repository', { cause: error });
  if (error.kind === 'unknown-path') return new NotFoundError('There is no such file or directory', { cause: error });
  if (error.kind === 'too-large') return new OperationFailedError('This is too large to be shown', { cause: error });
  return error;
}

/** Acts on the changeset that the caller names; what is not there reads as such. */
export async function atRevision<T>(
  { repoid, revision }: { readonly repoid: EntityRef; readonly revision: Revision },
  { access, storage, backends }: ReadContext,
  act: (at: AtRevision) => Promise<T>,
): Promise<T> {
  const repository = requireRepository(access, repoid);
  const backend = backends[repository.type];
  const path = storage.absolute(repository.storagePath);
  try {
    const rawId = await resolveRevision(repository, backend, path, revision);
    return await act({ repository, backend, path, rawId });
  } catch (error) {
    throw error instanceof VcsError ? shownError(error, revision) : error;
  }
}
