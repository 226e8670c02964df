import type { HistoryRecord } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import type { Diff } from '../../render/diff/diff-file.ts';
import { changedFiles } from './changed-files.ts';
import { DiffLinks } from './diff-links.tsx';
import type { DiffUrls } from './diff-urls.ts';
import { FileList } from './file-list.tsx';

interface Props {
  readonly changeset: HistoryRecord;
  readonly diff: Diff;
  readonly urls: DiffUrls;
  /** The rendered panels of the diff's files. */
  readonly panels: readonly Child[];
}

/** Renders the files of a changeset with their diffs. */
export function ChangesetDiff({ changeset, diff, urls, panels }: Props) {
  const { parents } = changeset;
  const rawUrl = urls.urlOf('changeset-diff');
  return (
    <>
      <FileList files={changedFiles(changeset, diff)} isWhole={!diff.truncated} />
      {parents.length > 1 && <p class="soft">This is a merge. The diff compares it with its first parent.</p>}
      <DiffLinks urls={urls} />
      {panels}
      {diff.truncated && (
        <p class="warning">
          This changeset is too large to be shown in full. The rest of the diff is left out. See the{' '}
          <a href={rawUrl}>whole diff</a>.
        </p>
      )}
    </>
  );
}
