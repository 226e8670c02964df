import type { HistoryRecord } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import type { Diff } from '../../render/diff/diff-file.ts';
import { changedFiles } from './changed-files.ts';
import { DiffLinks } from './diff-links.tsx';
import type { DiffPaths } from './diff-paths.ts';
import { FileList } from './file-list.tsx';

interface Props {
  readonly changeset: HistoryRecord;
  readonly diff: Diff;
  readonly paths: DiffPaths;
  /** The files of the diff, drawn. */
  readonly panels: readonly Child[];
}

/** The files of a changeset with their diffs. */
export function ChangesetDiff({ changeset, diff, paths, panels }: Props) {
  const { parents } = changeset;
  const rawPath = paths.to('changeset-diff');
  return (
    <>
      <FileList files={changedFiles(changeset, diff)} isWhole={!diff.truncated} />
      {parents.length > 1 && <p class="soft">A merge: shown is what it changed against its first parent.</p>}
      <DiffLinks paths={paths} />
      {panels}
      {diff.truncated && (
        <p class="warning">
          This changeset is too large to be shown whole: what follows is left out. See the{' '}
          <a href={rawPath}>whole diff</a>.
        </p>
      )}
    </>
  );
}
