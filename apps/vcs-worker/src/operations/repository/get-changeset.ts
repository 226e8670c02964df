import { OperationFailedError } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { toHistoryRecord } from '../../repo/history-record.ts';
import { resolveRevision } from '../../repo/resolve-revision.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { Handler } from '../context.ts';

export const getChangeset: Handler<'get_changeset'> = async (args, { access, storage, backends }) => {
  const repository = requireRepository(access, args.repoid);
  const backend = backends[repository.type];
  const path = storage.absolute(repository.storagePath);
  try {
    const rawId = await resolveRevision(repository, backend, path, args.revision);
    return toHistoryRecord(await backend.changeset(path, rawId, { withFiles: args.with_file_list }));
  } catch (error) {
    if (!(error instanceof VcsError)) throw error;
    throw new OperationFailedError(`failed to get repo: \`${repository.name}\` changeset`, { cause: error });
  }
};
