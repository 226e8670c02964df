import { InvalidArgsError, OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { readBytes } from '../../repo/read-bytes.ts';
import { resolveRevision } from '../../repo/resolve-revision.ts';
import type { TreeNode } from '../../vcs/backend.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';

const wanted = new Map([
  ['all', ['dir', 'file']],
  ['dirs', ['dir']],
  ['files', ['file']],
]);

/** The error for a cursor or root that names no node. */
function pageOf(nodes: TreeNode[], { limit, cursor }: { limit: number | null; cursor: string | null }): TreeNode[] {
  const last = cursor === null ? -1 : nodes.findIndex(({ name }) => name === cursor);
  if (cursor !== null && last < 0) throw new VcsError('unknown-path', 'the cursor names no node');
  return nodes.slice(last + 1, limit === null ? undefined : last + 1 + limit);
}

export const getRepoNodes: MethodHandler<'get_repo_nodes'> = async (args, context) => {
  const { access, nodeListings } = context;
  const repository = requireRepository(access, args.repoid);
  const toClientError = (cause: Error) =>
    new OperationFailedError(`failed to get repo: \`${repository.name}\` nodes`, { cause });
  return readBytes(context, repository, toClientError, async (backend, path) => {
    if (args.root_path === null) throw new VcsError('unknown-path', 'null is no path');
    const rawId = await resolveRevision(repository, backend, path, args.revision);
    const root = normalizeRoot(args.root_path);
    const { uuid: repositoryUuid, generation } = repository;
    const key = { repositoryUuid, generation, rawId, root };
    const nodes = await nodeListings.get(key, () => backend.nodes(path, rawId, root));
    const types = wanted.get(args.ret_type);
    if (!types) throw new InvalidArgsError('ret_type must be one of files,dirs,all');
    return pageOf(
      nodes.filter(({ type }) => types.includes(type)),
      args,
    );
  });
};
