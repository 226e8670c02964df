import type { HistoryRecord } from '@trunkline/contracts';
import { pathOf, type Diff, type DiffChange, type DiffFile } from '../../render/diff/diff-file.ts';
import { shownText } from '../../render/shown-text.ts';
import { ownDiffOf, type DiffUrls } from './diff-urls.tsx';

interface LineCountsOf {
  readonly added: number;
  readonly removed: number;
}

/** Renders the numbers of added and removed lines, or nothing when both are 0. */
export function LineCounts({ added, removed }: LineCountsOf) {
  if (added === 0 && removed === 0) return null;
  return (
    <span class="line-counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}

export interface ChangedFile {
  readonly path: string;
  readonly change: DiffChange;
  /** The diff of the file and its index on the page; null when the page does not show the file. */
  readonly shown: { readonly index: number; readonly file: DiffFile } | null;
  /** Line counts; null for a file that is binary, or whose diff is absent or was not read to its end. */
  readonly counts: LineCountsOf | null;
}

/** Returns the files of a diff alone, where no list of all files belongs to it. */
export function filesOf(diff: Diff): ChangedFile[] {
  const paths = (change: DiffChange) => diff.files.filter((file) => file.change === change).map(pathOf);
  const changed = (['changed', 'renamed', 'copied', 'mode'] as const).flatMap(paths);
  return changedFiles({ added: paths('added'), changed, removed: paths('removed') }, diff);
}

/**
 * Returns every file of a changeset with its line counts from the diff, sorted by path; a renamed file is listed by its
 * new path only.
 */
export function changedFiles(lists: Pick<HistoryRecord, 'added' | 'changed' | 'removed'>, diff: Diff): ChangedFile[] {
  const { added = [], changed = [], removed = [] } = lists;
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

/** Limits of a list: of files, and of the characters of their paths, which stand in links, too. */
const shownMax = 1_000;
const pathCharsMax = 128 * 1_024;
const openMax = 30;

const changeTexts: Readonly<Record<DiffChange, string>> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  renamed: 'renamed',
  copied: 'copied',
  mode: 'mode',
};

const barWidth = 60;

/** Renders how many of a file's changed lines are added ones, against the file with the most changed lines. */
function CountsBar({ counts: { added, removed }, most }: { counts: LineCountsOf; most: number }) {
  const width = (count: number) => Math.round((barWidth * count) / most);
  return (
    <svg class="counts-bar" width={barWidth} height="8" aria-hidden="true">
      <rect class="added" width={width(added)} height="8" />
      <rect class="removed" x={width(added)} width={width(removed)} height="8" />
    </svg>
  );
}

interface RowsProps {
  readonly files: readonly ChangedFile[];
  readonly urls: DiffUrls;
}

function Row({ file, urls, most }: { file: ChangedFile; urls: DiffUrls; most: number }) {
  const { path, change, shown, counts } = file;
  const href = shown ? `#file-${shown.index + 1}` : ownDiffOf(urls, { newPath: path, oldPath: null });
  return (
    <tr>
      <td class="soft">{changeTexts[change]}</td>
      <th scope="row" class="path">
        <a href={href}>{shownText(path)}</a>
      </th>
      <td class="number">{counts && <LineCounts {...counts} />}</td>
      <td class="bar">{counts && counts.added + counts.removed > 0 && <CountsBar counts={counts} most={most} />}</td>
    </tr>
  );
}

/** Returns how many files a list has. */
function listedLength(files: readonly ChangedFile[]): number {
  let chars = 0;
  const beyond = files.findIndex(({ path }, index) => index === shownMax || (chars += path.length) > pathCharsMax);
  return beyond === -1 ? files.length : beyond;
}

function Rows({ files, urls }: RowsProps) {
  const listed = listedLength(files);
  const most = files.reduce((sum, { counts }) => Math.max(sum, counts ? counts.added + counts.removed : 0), 0);
  return (
    <>
      <table class="file-list">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Path</th>
            <th scope="col">Lines</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, listed).map((file) => (
            <Row file={file} urls={urls} most={most} />
          ))}
        </tbody>
      </table>
      {files.length > listed && <p class="soft">{files.length - listed} more files are not listed.</p>}
    </>
  );
}

/** Renders the files that the page has no lines of, each with a link to its own page; nothing when there is none. */
export function NotShownFiles({ files, urls }: RowsProps) {
  const others = files.filter(({ shown }) => shown === null);
  if (others.length === 0) return <></>;
  return (
    <section aria-labelledby="not-shown">
      <h2 id="not-shown">{others.length === 1 ? '1 file is not shown' : `${others.length} files are not shown`}</h2>
      <Rows files={others} urls={urls} />
    </section>
  );
}

/** Renders the list of a changeset's files, folded when there are more than `openMax`. */
export function FileList({ files, urls, isWhole }: RowsProps & { isWhole: boolean }) {
  const sum = (side: 'added' | 'removed') => files.reduce((total, { counts }) => total + (counts?.[side] ?? 0), 0);
  return (
    <section aria-labelledby="files">
      <div class="title files">
        <h2 id="files">{files.length === 1 ? '1 file' : `${files.length} files`}</h2>
        {isWhole && files.length > 0 && <LineCounts added={sum('added')} removed={sum('removed')} />}
      </div>
      {files.length > openMax ? (
        <details>
          <summary>List of the files</summary>
          <Rows files={files} urls={urls} />
        </details>
      ) : (
        files.length > 0 && <Rows files={files} urls={urls} />
      )}
    </section>
  );
}
