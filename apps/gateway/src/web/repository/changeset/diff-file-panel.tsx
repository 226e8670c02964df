import type { DiffFile } from '../../render/diff/diff-file.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { pathOf } from './changed-files.ts';
import { HunkRows } from './hunk-rows.tsx';
import { LineCounts } from './line-counts.tsx';
import { isAddressableEntry } from '../files/file-address.ts';

interface Props {
  readonly file: DiffFile;
  /** The number of the file on the page, counted from 1. */
  readonly number: number;
  /** The path of the files at the changeset. */
  readonly filesPath: string;
  /** The URL of the whole raw diff. */
  readonly rawUrl: string;
  /** Whether the file's diff was read to its end, so that its line counts are complete. */
  readonly hasCompleteCounts: boolean;
  /** The id of the changeset's heading on a page of several changesets, each of which may have the same file. */
  readonly headingId?: string | undefined;
}

function notesOf({ change, oldPath, oldMode, newMode, isBinary, hunks }: DiffFile): string[] {
  const notes: string[] = [];
  if (change === 'renamed') notes.push(`Renamed from ${shownText(oldPath ?? '')}`);
  if (change === 'copied') notes.push(`Copied from ${shownText(oldPath ?? '')}`);
  if (oldMode !== null && newMode !== null && oldMode !== newMode) notes.push(`Mode ${oldMode} → ${newMode}`);
  else if (change === 'added' && newMode !== null && newMode !== '100644') notes.push(`Mode ${newMode}`);
  if (isBinary) notes.push('Binary file');
  else if (hunks.length === 0 && (change === 'added' || change === 'removed')) notes.push('Empty file');
  return notes;
}

function Head({ file, number, filesPath, hasCompleteCounts }: Omit<Props, 'rawUrl' | 'headingId'>) {
  const { change, newPath, isBinary, linesAdded: added, linesRemoved: removed } = file;
  return (
    <header>
      <h3 id={`file-${number}-name`}>{shownText(pathOf(file))}</h3>
      {change !== 'changed' && <span class="badge">{change === 'mode' ? 'mode changed' : change}</span>}
      {hasCompleteCounts && !isBinary && <LineCounts added={added} removed={removed} />}
      {newPath !== null && newPath.split('/').every(isAddressableEntry) && (
        <a class="to-file" href={`${filesPath}/${newPath.split('/').map(encodeURIComponent).join('/')}`}>
          View file<span class="visually-hidden"> {shownText(newPath)}</span>
        </a>
      )}
    </header>
  );
}

/** Renders the diff of one file. */
export function DiffFilePanel({ file, number, filesPath, rawUrl, hasCompleteCounts, headingId }: Props) {
  const notes = notesOf(file);
  const labels = [headingId, `file-${number}-name`].filter((id) => id !== undefined).join(' ');
  return (
    <section class="panel diff-file" id={`file-${number}`} aria-labelledby={labels}>
      <Head file={file} number={number} filesPath={filesPath} hasCompleteCounts={hasCompleteCounts} />
      {notes.length > 0 && <p class="note">{notes.join(' · ')}</p>}
      {file.hunks.length > 0 && (
        <table class="diff code">
          <colgroup>
            <col class="at" />
            <col class="at" />
            <col />
          </colgroup>
          <thead class="visually-hidden">
            <tr>
              <th scope="col">Old line</th>
              <th scope="col">New line</th>
              <th scope="col">Text</th>
            </tr>
          </thead>
          {file.hunks.map((hunk) => (
            <HunkRows hunk={hunk} />
          ))}
        </table>
      )}
      {file.isCut && (
        <p class="note">
          Only some of the changes to this file are shown. See the <a href={rawUrl}>whole diff</a>.
        </p>
      )}
    </section>
  );
}
