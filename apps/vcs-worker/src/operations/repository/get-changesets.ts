import { OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { toHistoryRecord } from '../../repo/history-record.ts';
import { resolveRevision } from '../../repo/resolve-revision.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { Handler } from '../context.ts';

export const getChangesets: Handler<'get_changesets'> = async (args, { access, storage, backends }) => {
  const repository = requireRepository(access, args.repoid);
  if (repository.tipId === null) return [];
  const backend = backends[repository.type];
  const path = storage.absolute(repository.storagePath);
  const resolve = async (revision: string | number | null) =>
    revision === null ? null : resolveRevision(repository, backend, path, revision);
  try {
    const [from, to, after] = await Promise.all([resolve(args.start), resolve(args.end), resolve(args.cursor)]);
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
  } catch (error) {
    if (!(error instanceof VcsError)) throw error;
    const failed = `failed to get repo: \`${repository.name}\` changesets`;
    const text = error.kind === 'too-large' ? `${failed}, ask for fewer with \`limit\`` : failed;
    throw new OperationFailedError(text, { cause: error });
  }
};
