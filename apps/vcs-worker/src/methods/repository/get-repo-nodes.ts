import { InvalidArgsError, OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { readRepository, resolveRevision } from '../../domain/repo/read-repository.ts';
import type { TreeNode } from '../../vcs/backend.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';

const typesByRetType = new Map([
  ['all', ['dir', 'file']],
  ['dirs', ['dir']],
  ['files', ['file']],
]);

/** Returns the page of nodes after the cursor; throws VcsError when the cursor names no node. */
function pageAfterCursor(
  nodes: TreeNode[],
  { limit, cursor }: { limit: number | null; cursor: string | null },
): TreeNode[] {
  const cursorIndex = cursor === null ? -1 : nodes.findIndex(({ name }) => name === cursor);
  if (cursor !== null && cursorIndex < 0) throw new VcsError('unknown-path', 'the cursor is not the name of a node');
  return nodes.slice(cursorIndex + 1, limit === null ? undefined : cursorIndex + 1 + limit);
}

export const getRepoNodes: MethodHandler<'get_repo_nodes'> = async (args, context) => {
  const { access, contentCaches } = context;
  const repository = requireRepository(access, args.repoid);
  const toClientError = (cause: Error) =>
    new OperationFailedError(`failed to get repo: \`${repository.name}\` nodes`, { cause });
  return readRepository(context, repository, toClientError, async (backend, path) => {
    // Null passes the schema, and fails with the same text as an unknown path.
    if (args.root_path === null) throw new VcsError('unknown-path', 'null is not a path');
    const rawId = await resolveRevision(context, repository, { backend, path }, args.revision);
    const root = normalizeRoot(args.root_path);
    const nodes = await contentCaches.nodeListings.get(
      repository,
      [rawId, root],
      (shared) => backend.forCall(shared).nodes(path, rawId, root),
      context.signal,
    );
    // An unknown revision or path is reported before a wrong `ret_type`.
    const types = typesByRetType.get(args.ret_type);
    if (!types) throw new InvalidArgsError('ret_type must be one of files,dirs,all');
    return pageAfterCursor(
      nodes.filter(({ type }) => types.includes(type)),
      args,
    );
  });
};
