import { cursorOfHistory } from '@trunkline/contracts';
import { toHistoryRecord } from '../../domain/repo/repository-record.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import type { MethodHandler } from '../context.ts';
import { atRevision } from './at-revision.ts';

export const getFileHistory: MethodHandler<'get_file_history'> = (args, context) => {
  const { repoid, limit, cursor } = args;
  const { rawId: revision, skip } = cursor ?? { rawId: args.revision, skip: 0 };
  return atRevision({ repoid, revision }, context, async ({ repository, backend, path, rawId }) => {
    const name = normalizeRoot(args.file_path);
    const found = await context.contentCaches.pathHistories.get(
      repository,
      [rawId, name, String(skip), String(limit)],
      (shared) => backend.forCall(shared).pathHistory(path, rawId, name, { skip, limit }),
      context.signal,
    );
    const ids = found.changes.map((change) => change.rawId);
    const changesets = await backend.changesets(path, ids);
    return {
      raw_id: rawId,
      kind: found.kind,
      changes: changesets.map((changeset, index) => {
        const { path: at = name, change = null, formerPath = null } = found.changes[index] ?? {};
        return { ...toHistoryRecord(changeset), path: at, change, former_path: formerPath };
      }),
      next: found.end === 'more' ? cursorOfHistory({ rawId, skip: skip + limit }) : null,
      complete: found.end !== 'late',
    };
  });
};
