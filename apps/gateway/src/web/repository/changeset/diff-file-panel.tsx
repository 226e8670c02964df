import type { DiffFile } from '../../render/diff/diff-file.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { pathOf } from './changed-files.ts';
import { HunkRows } from './hunk-rows.tsx';
import { LineCounts } from './line-counts.tsx';
import { isAddressableEntry } from '../files/file-address.ts';

interface Props {
  readonly file: DiffFile;
  /** Counted from 1. */
  readonly number: number;
  /** Of the files at the changeset. */
  readonly filesPath: string;
  /** The whole diff. */
  readonly rawPath: string;
  /** Whether the diff was read to its end. */
  readonly isCounted: boolean;
  /** Of the changeset, where a page shows several: the same file may be in each of them. */
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

function Head({ file, number, filesPath, isCounted }: Omit<Props, 'rawPath' | 'headingId'>) {
  const { change, newPath, isBinary, linesAdded: added, linesRemoved: removed } = file;
  return (
    <header>
      <h3 id={`file-${number}-name`}>{shownText(pathOf(file))}</h3>
      {change !== 'changed' && <span class="badge">{change === 'mode' ? 'mode changed' : change}</span>}
      {isCounted && !isBinary && <LineCounts added={added} removed={removed} />}
      {newPath !== null && newPath.split('/').every(isAddressableEntry) && (
        <a class="to-file" href={`${filesPath}/${newPath.split('/').map(encodeURIComponent).join('/')}`}>
          Whole file<span class="visually-hidden"> {shownText(newPath)}</span>
        </a>
      )}
    </header>
  );
}

/** The diff of one file. */
export function DiffFilePanel({ file, number, filesPath, rawPath, isCounted, headingId }: Props) {
  const notes = notesOf(file);
  const labels = [headingId, `file-${number}-name`].filter((id) => id !== undefined).join(' ');
  return (
    <section class="panel diff-file" id={`file-${number}`} aria-labelledby={labels}>
      <Head file={file} number={number} filesPath={filesPath} isCounted={isCounted} />
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
              <th scope="col">Line before</th>
              <th scope="col">Line after</th>
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
          More of this file was changed than is shown here: see the <a href={rawPath}>whole diff</a>.
        </p>
      )}
    </section>
  );
}
