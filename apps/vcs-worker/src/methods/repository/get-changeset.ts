import { NotFoundError, OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { toHistoryRecord } from '../../domain/repo/history-record.ts';
import { readRepository } from '../../domain/repo/read-repository.ts';
import { resolveRevision } from '../../domain/repo/resolve-revision.ts';
import type { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';

export const getChangeset: MethodHandler<'get_changeset'> = async (args, context) => {
  const repository = requireRepository(context.access, args.repoid);
  const toClientError = (cause: VcsError) =>
    cause.kind === 'unknown-revision' || cause.kind === 'empty-repository'
      ? new NotFoundError(`Changeset \`${args.revision ?? 'None'}\` does not exist`, { cause })
      : new OperationFailedError(`failed to get repo: \`${repository.name}\` changeset`, { cause });
  return readRepository(context, repository, toClientError, async (backend, path) => {
    const rawId = await resolveRevision(context, repository, { backend, path }, args.revision);
    return toHistoryRecord(await backend.changeset(path, rawId, { withFiles: args.with_file_list }));
  });
};
