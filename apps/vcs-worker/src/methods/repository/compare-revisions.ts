import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { EncodedReply } from '../../cache/reply-cache.ts';
import { readDiffText } from '../../domain/repo/read-diff-text.ts';
import { toHistoryRecord } from '../../domain/repo/repository-record.ts';
import type { FileChanges } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { requireCompared, withSides } from '../content/compared-sides.ts';
import type { MethodHandler } from '../context.ts';

const filesMax = 10_000;

type Files = ResultOfMethod<Served['compare_revisions']>['files'];

/** Returns the first files, those that were added first; null where too many differ to be listed. */
async function listedFiles(read: () => Promise<FileChanges>): Promise<Files> {
  try {
    const { added, changed, removed } = await read();
    const room = (...before: readonly (readonly string[])[]) =>
      Math.max(0, filesMax - before.reduce((sum, { length }) => sum + length, 0));
    return {
      added: added.slice(0, filesMax),
      changed: changed.slice(0, room(added)),
      removed: removed.slice(0, room(added, changed)),
      truncated: added.length + changed.length + removed.length > filesMax,
    };
  } catch (error) {
    if (error instanceof VcsError && error.kind === 'too-large') return null;
    throw error;
  }
}

/** The reply depends on the bytes of both repositories alone; the rights on both are read before. */
export const compareRevisions: MethodHandler<'compare_revisions'> = async (args, context) => {
  const { from: asked, to: askedTo, limit, cursor } = args;
  const compared = await requireCompared(args, context);
  const { uuid, generation, tipId } = compared.to;
  const keyed = { from: asked, to: askedTo, limit, cursor, other: [uuid, generation, tipId] };
  const read = (signal: AbortSignal) =>
    withSides(args, compared, { ...context, signal }, async ({ pair, backend, path }) => {
      const { base, ahead, behind, changesets } = await backend.compare(path, { ...pair, limit, skip: cursor });
      const end = cursor + changesets.length;
      return {
        from: pair.from,
        to: pair.to,
        merge_base: base,
        ahead,
        behind,
        changesets: changesets.map(toHistoryRecord),
        next: end < ahead && changesets.length > 0 ? end : null,
        files: cursor > 0 ? null : await listedFiles(() => backend.changesSince(path, base, pair.to)),
      };
    });
  return new EncodedReply(await context.cachedReply(compared.from, { name: 'compare_revisions', args: keyed }, read));
};

export const getRepoDiff: MethodHandler<'get_repo_diff'> = async (args, context) =>
  withSides(args, await requireCompared(args, context), context, async ({ pair, backend, path }) => {
    const base = await backend.mergeBase(path, pair);
    const { context: lines, ignore_whitespace: ignoreWhitespace, max_bytes: bytesMax } = args;
    const diff = backend.diff(path, pair.to, { context: lines, ignoreWhitespace, binary: false, base });
    const { text, isCut } = await readDiffText(diff, bytesMax);
    return { from: pair.from, to: pair.to, merge_base: base, diff: text, truncated: isCut };
  });
