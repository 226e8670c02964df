import { toChangesetDate, type BriefChangeset } from '@trunkline/contracts';
import { toBriefChangeset } from '../../domain/repo/repository-list-record.ts';
import { toHistoryRecord } from '../../domain/repo/repository-record.ts';
import type { Relative } from '../../vcs/backend.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';
import { atRevision } from './at-revision.ts';

/** As many parents and children as a page lists, and characters of each text. */
const relativesMax = 20;
const charsMax = 1_000;

function toRelativeRecord({ message, author, date, ...others }: Relative): BriefChangeset {
  const record = toBriefChangeset({ ...others, message, author, date: date.getTime() });
  return { ...record, message: record.message.slice(0, charsMax), author: author.slice(0, charsMax) };
}

export const viewChangeset: MethodHandler<'view_changeset'> = (args, context) =>
  atRevision(args, context, async ({ backend, path, rawId }) => {
    const entry = await backend.changeset(path, rawId, { withFiles: true });
    const { committer, authored, parents, children } = await backend.relations(path, rawId, relativesMax);
    return {
      changeset: toHistoryRecord(entry),
      committer,
      authored: authored && toChangesetDate(authored),
      parents: parents.map(toRelativeRecord),
      children: children && children.map(toRelativeRecord),
    };
  });

export const viewFileSizes: MethodHandler<'view_file_sizes'> = (args, context) =>
  atRevision(args, context, async ({ backend, path, rawId }) => {
    const sizeOf = async (file: string) => {
      try {
        return (await backend.openFile(path, rawId, normalizeRoot(file))).size;
      } catch (error) {
        if (error instanceof VcsError && (error.kind === 'unknown-path' || error.kind === 'is-submodule')) return null;
        throw error;
      }
    };
    const sizes: (number | null)[] = [];
    // One after the other: a call has one slot.
    for (const file of args.paths) sizes.push(await sizeOf(file));
    return sizes;
  });
