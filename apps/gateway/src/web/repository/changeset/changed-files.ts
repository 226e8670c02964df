import type { HistoryRecord } from '@trunkline/contracts';
import type { Diff, DiffChange, DiffFile } from '../../render/diff/diff-file.ts';

export interface ChangedFile {
  readonly path: string;
  readonly change: DiffChange;
  /** The diff of the file and its index on the page; null when the page does not show the file. */
  readonly shown: { readonly index: number; readonly file: DiffFile } | null;
  /** Line counts; null for a file that is binary, or whose diff is absent or was not read to its end. */
  readonly counts: { readonly added: number; readonly removed: number } | null;
}

export function pathOf({ newPath, oldPath }: DiffFile): string {
  return newPath ?? oldPath ?? '';
}

/**
 * Returns every file of a changeset with its line counts from the diff, sorted by path; a renamed file is listed by its
 * new path only.
 */
export function changedFiles({ added = [], changed = [], removed = [] }: HistoryRecord, diff: Diff): ChangedFile[] {
  const { files, truncated } = diff;
  const shownAt = new Map(files.map((file, index) => [pathOf(file), { file, index }]));
  const renamed = new Set(files.flatMap(({ change, oldPath }) => (change === 'renamed' ? [oldPath] : [])));
  const describe = (change: DiffChange) => (path: string) => {
    const shown = shownAt.get(path) ?? null;
    const isWhole = shown !== null && !(truncated && shown.file.isCut);
    return {
      path,
      change: shown?.file.change ?? change,
      shown,
      counts: isWhole && !shown.file.isBinary ? countsOf(shown.file) : null,
    };
  };
  return [
    ...added.map(describe('added')),
    ...changed.map(describe('changed')),
    ...removed.filter((path) => !renamed.has(path)).map(describe('removed')),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function countsOf({ linesAdded: added, linesRemoved: removed }: DiffFile) {
  return { added, removed };
}
