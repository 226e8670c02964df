import type { HistoryRecord } from '@trunkline/contracts';
import type { Diff, DiffChange, DiffFile } from '../../render/diff/diff-file.ts';
import { shownText } from '../../render/shown-text.ts';

/** Renders the numbers of added and removed lines, or nothing when both are 0. */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  if (added === 0 && removed === 0) return null;
  return (
    <span class="line-counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}

interface ChangedFile {
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
export function changedFiles(
  { added = [], changed = [], removed = [] }: Pick<HistoryRecord, 'added' | 'changed' | 'removed'>,
  diff: Diff,
): ChangedFile[] {
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

const shownMax = 1_000;
const openMax = 30;

const changeTexts: Readonly<Record<DiffChange, string>> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  renamed: 'renamed',
  copied: 'copied',
  mode: 'mode',
};

function Row({ file: { path, change, shown, counts } }: { file: ChangedFile }) {
  return (
    <tr>
      <td class="soft">{changeTexts[change]}</td>
      <th scope="row" class="path">
        {shown ? <a href={`#file-${shown.index + 1}`}>{shownText(path)}</a> : shownText(path)}
      </th>
      <td class="number">{counts && <LineCounts {...counts} />}</td>
    </tr>
  );
}

function Rows({ files }: { files: readonly ChangedFile[] }) {
  return (
    <>
      <table class="file-list">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Path</th>
            <th scope="col">Lines</th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, shownMax).map((file) => (
            <Row file={file} />
          ))}
        </tbody>
      </table>
      {files.length > shownMax && <p class="soft">{files.length - shownMax} more files are not listed.</p>}
    </>
  );
}

/** Renders the list of a changeset's files, folded when there are more than `openMax`. */
export function FileList({ files, isWhole }: { files: readonly ChangedFile[]; isWhole: boolean }) {
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
          <Rows files={files} />
        </details>
      ) : (
        files.length > 0 && <Rows files={files} />
      )}
    </section>
  );
}
