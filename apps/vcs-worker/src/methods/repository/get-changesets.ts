import { OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { toHistoryRecord } from '../../domain/repo/history-record.ts';
import { readRepository } from '../../domain/repo/read-repository.ts';
import { requireRecordedTip } from '../../domain/repo/require-recorded-tip.ts';
import { resolveRevision } from '../../domain/repo/resolve-revision.ts';
import type { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';

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
