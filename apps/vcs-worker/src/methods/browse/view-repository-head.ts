import { OperationFailedError, type RefRecord } from '@trunkline/contracts';
import type { RepositoryAccess } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { readRepository } from '../../domain/repo/read-repository.ts';
import type { RepositoryTools } from '../../worker-tools.ts';
import type { MethodHandler, ReadContext } from '../context.ts';
import { viewRepository } from './repository-views.ts';

/** Returns what pages of a repository show first, from its cached reply; null for none, and where it cannot be read. */
export async function readDefaultRef(
  context: ReadContext & RepositoryTools,
  repository: RepositoryAccess,
): Promise<RefRecord | null> {
  if (repository.tipId === null) return null;
  const toClientError = (cause: Error) =>
    new OperationFailedError(`failed to get repo: \`${repository.name}\` refs`, { cause });
  const read = async (signal: AbortSignal): Promise<RefRecord | null> => {
    const ref = await readRepository({ ...context, signal }, repository, toClientError, (backend, path) =>
      backend.defaultRef(path),
    );
    return ref && { kind: ref.kind, name: ref.name, raw_id: ref.rawId, closed: false };
  };
  try {
    const encoded = await context.cachedReply(repository, { name: 'view_repository_head', args: {} }, read);
    return JSON.parse(Buffer.from(encoded).toString()) as RefRecord | null;
  } catch (error) {
    // The page itself tells what cannot be read.
    if (error instanceof OperationFailedError) return null;
    throw error;
  }
}

export const viewRepositoryHead: MethodHandler<'view_repository_head'> = async ({ repoid }, context) => {
  const repository = requireRepository(context.access, repoid);
  const head = await viewRepository({ repoid }, context);
  return { ...head, default_ref: await readDefaultRef(context, repository) };
};
