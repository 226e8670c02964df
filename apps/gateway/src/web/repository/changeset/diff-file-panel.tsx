import { setImmediate } from 'node:timers/promises';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { changedParts, type MarkedRange } from '../../render/diff/changed-parts.ts';
import type { Diff, DiffFile, DiffHunk, DiffLine } from '../../render/diff/diff-file.ts';
import { shownLines, shownText } from '../../render/shown-text.ts';
import { kindOfMode, notesOf } from './diff-notes.ts';
import { LineCounts, pathOf } from './file-list.tsx';
import { changeAnchor, isAddressableEntry } from '../files/file-address.ts';
import { pathTo } from '../../http/path-segments.ts';
import type { DiffUrls } from './diff-urls.tsx';

const signs = { context: ' ', added: '+', removed: '-', noNewline: '\\ ' } as const;
const classes = {
  context: 'diff-context',
  added: 'diff-added',
  removed: 'diff-removed',
  noNewline: 'diff-note',
} as const;

function Text({ line: { text }, marked }: { line: DiffLine; marked: MarkedRange | undefined }) {
  if (!marked || marked.start === marked.end) return <>{shownLines(text)}</>;
  return (
    <>
      {shownLines(text.slice(0, marked.start))}
      <mark>{shownLines(text.slice(marked.start, marked.end))}</mark>
      {shownLines(text.slice(marked.end))}
    </>
  );
}

function Row({ line, marked }: { line: DiffLine; marked: MarkedRange | undefined }) {
  const { kind, oldLine, newLine, isCut } = line;
  return (
    <tr class={classes[kind]}>
      <td class="at">{oldLine}</td>
      <td class="at">{newLine}</td>
      <td class="line">
        {signs[kind]}
        <Text line={line} marked={marked} />
        {isCut && <span class="badge">cut off</span>}
      </td>
    </tr>
  );
}

/** Renders one hunk as rows of a table: both line numbers, and the line with its sign. */
function HunkRows({ hunk: { header, lines } }: { hunk: DiffHunk }) {
  const marks = changedParts(lines);
  return (
    <tbody>
      <tr class="diff-hunk">
        <td class="at" colspan={2}></td>
        <td class="line">{shownText(header)}</td>
      </tr>
      {lines.map((line) => (
        <Row line={line} marked={marks.get(line)} />
      ))}
    </tbody>
  );
}

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

interface HeadProps extends Omit<Props, 'rawUrl' | 'headingId'> {
  /** Whether the page has no other change of the file. */
  readonly isAnchored: boolean;
}

function Head({ file, number, filesPath, hasCompleteCounts, isAnchored }: HeadProps) {
  const { change, newPath, newMode, isBinary, linesAdded: added, linesRemoved: removed } = file;
  return (
    <header>
      {isAnchored && <span id={changeAnchor(pathOf(file))} />}
      <h3 id={`file-${number}-name`}>{shownText(pathOf(file))}</h3>
      {change !== 'changed' && <span class="badge">{change === 'mode' ? 'mode changed' : change}</span>}
      {hasCompleteCounts && !isBinary && <LineCounts added={added} removed={removed} />}
      {newPath !== null && kindOfMode(newMode) !== 'submodule' && newPath.split('/').every(isAddressableEntry) && (
        <a class="to-file" href={`${filesPath}${pathTo(newPath)}`}>
          View file<span class="visually-hidden"> {shownText(newPath)}</span>
        </a>
      )}
    </header>
  );
}

/** Renders the diff of one file. */
function DiffFilePanel({ file, number, filesPath, rawUrl, hasCompleteCounts, headingId }: Props) {
  const notes = notesOf(file);
  const labels = [headingId, `file-${number}-name`].filter((id) => id !== undefined).join(' ');
  return (
    <section class="panel diff-file" id={`file-${number}`} aria-labelledby={labels}>
      <Head {...{ file, number, filesPath, hasCompleteCounts }} isAnchored={headingId === undefined} />
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

interface RenderPanelsOptions {
  readonly repository: string;
  readonly changesetId: string;
  readonly diff: Diff;
  readonly urls: DiffUrls;
  /** On a page of several diffs, the number of this diff's first file. */
  readonly firstNumber?: number;
  /** On a page of several diffs, the id of the changeset's heading. */
  readonly headingId?: string;
}

/** Renders the files of a diff one by one, and yields to other requests after each of them. */
export async function renderPanels({
  repository,
  changesetId,
  diff,
  urls,
  firstNumber = 1,
  headingId,
}: RenderPanelsOptions): Promise<Child[]> {
  const filesPath = pathTo(repository, 'files', changesetId);
  const rawUrl = urls.urlOf('changeset-diff');
  const panels: Child[] = [];
  for (const [index, file] of diff.files.entries()) {
    // A file that is cut in a diff read to its end still has complete counts.
    const hasCompleteCounts = !(diff.truncated && file.isCut);
    // A JSX node renders only when converted to a string; doing it here spreads the work over the loop's turns.
    const panel: unknown = (
      <DiffFilePanel {...{ file, filesPath, rawUrl, hasCompleteCounts, headingId }} number={firstNumber + index} />
    );
    panels.push(raw(String(panel)));
    await setImmediate();
  }
  return panels;
}
