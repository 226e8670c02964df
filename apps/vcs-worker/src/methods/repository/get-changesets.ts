import { NotFoundError, OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { toHistoryRecord } from '../../domain/repo/repository-record.ts';
import { readRepository, resolveRevision } from '../../domain/repo/read-repository.ts';
import type { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';
import { requireRecordedTip } from '../../domain/repo/recorded-state.ts';

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

export const getChangesets: MethodHandler<'get_changesets'> = async (args, context) => {
  const repository = requireRepository(context.access, args.repoid);
  if (repository.tipId === null) return [];
  const toClientError = (error: VcsError) => {
    const failed = `failed to get repo: \`${repository.name}\` changesets`;
    const text = error.kind === 'too-large' ? `${failed}, ask for fewer with \`limit\`` : failed;
    return new OperationFailedError(text, { cause: error });
  };
  return readRepository(context, repository, toClientError, async (backend, path) => {
    const resolve = async (revision: string | number | null) =>
      revision === null ? null : resolveRevision(context, repository, { backend, path }, revision);
    const [from, to, after] = await Promise.all([
      resolve(args.start),
      resolve(args.end),
      resolve(args.cursor),
      requireRecordedTip(backend, path, repository.tipId),
    ]);
    const entries = await backend.log(path, {
      from,
      to,
      after,
      since: args.start_date,
      until: args.end_date,
      branch: args.branch_name,
      reverse: args.reverse,
      limit: args.limit,
      withFiles: args.with_file_list,
    });
    return entries.map(toHistoryRecord);
  });
};
