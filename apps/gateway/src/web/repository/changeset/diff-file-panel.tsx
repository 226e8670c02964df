import { setImmediate } from 'node:timers/promises';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { colourLines } from '../../render/diff/colour-lines.ts';
import { kindOfMode, pathOf, type Diff, type DiffFile, type DiffLine } from '../../render/diff/diff-file.ts';
import type { Renderer } from '../../render/create-renderers.ts';
import { isImage } from '../content/content-type.ts';
import { changeAnchor, fileAddress } from '../files/file-address.ts';
import type { BinarySizes } from './binary-sizes.ts';
import { DiffFileHead, DiffFileLinks, isFoldedFile, locationsOf, type DiffSides } from './diff-file-head.tsx';
import { splitRows, unifiedRows } from './diff-rows.ts';
import { notesOf } from './diff-notes.ts';
import { ownDiffOf, type DiffUrls } from './diff-urls.tsx';

/** The limit of a diff's panels, in characters: markup and colours may grow to many times the size of the lines. */
const panelsCharsMax = 5 * 1_024 * 1_024;
/** Rows that are made before other requests have their turn; they take some milliseconds. */
const rowsAtOnce = 500;

interface Tables {
  readonly split: boolean;
  readonly coloured: ReadonlyMap<DiffLine, string>;
  /** Characters that are left. */
  left: number;
}

/** Makes the rows of a file as far as characters are left, and yields to other requests after some of them. */
async function renderRows(file: DiffFile, fileId: string, tables: Tables) {
  const rowsOf = tables.split ? splitRows : unifiedRows;
  let html = '';
  let rows = 0;
  for (const hunk of file.hunks) {
    html += '<tbody>';
    for (const row of rowsOf(hunk, { fileId, coloured: tables.coloured })) {
      tables.left -= row.length;
      if (tables.left < 0) return { html: `${html}</tbody>`, isCut: true };
      html += row;
      rows += 1;
      if (rows % rowsAtOnce === 0) await setImmediate();
    }
    html += '</tbody>';
  }
  return { html, isCut: file.isCut };
}

function UnifiedHead() {
  return (
    <>
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
    </>
  );
}

function SplitHead() {
  return (
    <>
      <colgroup>
        <col class="at" />
        <col />
        <col class="at" />
        <col />
      </colgroup>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Old line</th>
          <th scope="col">Old text</th>
          <th scope="col">New line</th>
          <th scope="col">New text</th>
        </tr>
      </thead>
    </>
  );
}

/** Renders an image before and after the change; nothing for other files. The images are sent in a sandbox. */
function DiffImages({ file, sides }: { file: DiffFile; sides: DiffSides }) {
  const { before, after } = locationsOf(file, sides);
  const shown = [
    { title: 'Before', at: before, mode: file.oldMode },
    { title: 'After', at: after, mode: file.newMode },
  ].filter(({ at, mode }) => at && isImage(at.path) && kindOfMode(mode) === 'file');
  if (shown.length === 0 || (!file.isBinary && file.hunks.length === 0)) return <></>;
  return (
    <div class="diff-images">
      {shown.map(
        ({ title, at }) =>
          at && (
            <figure>
              <figcaption class="soft">{title}</figcaption>
              <a href={fileAddress('raw', at)}>
                <img src={fileAddress('raw', at)} alt={title} loading="lazy" />
              </a>
            </figure>
          ),
      )}
    </div>
  );
}

interface Props {
  readonly file: DiffFile;
  readonly fileId: string;
  readonly sides: DiffSides;
  readonly urls: DiffUrls;
  readonly sizes: BinarySizes | undefined;
  readonly rows: string;
  readonly isCut: boolean;
  /** Whether the file's diff was read to its end, so that its line counts are complete. */
  readonly hasCompleteCounts: boolean;
  readonly isOpen: boolean;
  /** The id by which histories lead to the change of the file. */
  readonly anchor: string | undefined;
  /** The id of the changeset's heading on a page of several changesets, each of which may have the same file. */
  readonly headingId?: string | undefined;
}

/** Renders the diff of one file, which can be folded. */
function DiffFilePanel({ file, fileId, sides, urls, sizes, rows, isCut, hasCompleteCounts, ...others }: Props) {
  const { isOpen, anchor, headingId } = others;
  const { split = false, only } = urls.options;
  const notes = notesOf(file, sizes);
  const labels = [headingId, `${fileId}-name`].filter((id) => id !== undefined).join(' ');
  return (
    <section class="panel diff-file" id={fileId} aria-labelledby={labels}>
      {anchor !== undefined && <span id={anchor} />}
      <details open={isOpen}>
        <summary>
          <DiffFileHead file={file} fileId={fileId} hasCompleteCounts={hasCompleteCounts} />
        </summary>
        <div class="diff-about">
          {notes.length > 0 && <p class="note">{notes.join(' · ')}</p>}
          <DiffFileLinks file={file} fileId={fileId} sides={sides} urls={urls} />
        </div>
        <DiffImages file={file} sides={sides} />
        {rows !== '' && (
          <div class="diff-lines">
            <table class={split ? 'diff split code' : 'diff code'}>
              {split ? <SplitHead /> : <UnifiedHead />}
              {raw(rows)}
            </table>
          </div>
        )}
        {isCut && (
          <p class="note">
            Only some of the changes to this file are shown. See{' '}
            {only ? (
              <a href={urls.urlOf('changeset-diff')}>its whole diff</a>
            ) : (
              <a href={ownDiffOf(urls, file)}>the file alone</a>
            )}
            .
          </p>
        )}
      </details>
    </section>
  );
}

interface RenderPanelsOptions {
  readonly repository: string;
  readonly changesetId: string;
  /** The changeset before the change; null or absent where there is none. */
  readonly parentId?: string | null | undefined;
  readonly diff: Diff;
  readonly urls: DiffUrls;
  /** Without it, lines have no colours. */
  readonly renderer?: Pick<Renderer, 'parts'> | undefined;
  readonly sizes?: BinarySizes;
  /** On a page of several diffs, the number of this diff's first file. */
  readonly firstNumber?: number;
  /** On a page of several diffs, the id of the changeset's heading. */
  readonly headingId?: string;
}

/**
 * Renders the files of a diff one by one, and yields to other requests after each of them. There are fewer panels than
 * files where a page would grow too large.
 */
export async function renderPanels({
  repository,
  changesetId,
  parentId = null,
  diff,
  urls,
  renderer,
  sizes,
  firstNumber = 1,
  headingId,
}: RenderPanelsOptions): Promise<Child[]> {
  const sides = { repository, before: parentId, after: changesetId };
  const coloured = renderer ? await colourLines(renderer, diff) : new Map<DiffLine, string>();
  const tables = { split: urls.options.split === true, coloured, left: panelsCharsMax };
  const panels: Child[] = [];
  const anchors = new Set<string>();
  for (const [index, file] of diff.files.entries()) {
    // A file that is cut in a diff read to its end still has complete counts.
    const hasCompleteCounts = !(diff.truncated && file.isCut);
    const fileId = `file-${firstNumber + index}`;
    const { html: rows, isCut } = await renderRows(file, fileId, tables);
    const isOpen = diff.files.length === 1 || !isFoldedFile(file);
    const wanted = changeAnchor(pathOf(file));
    const anchor = headingId === undefined && !anchors.has(wanted) ? wanted : undefined;
    anchors.add(wanted);
    // A JSX node renders only when converted to a string; doing it here spreads the work over the loop's turns.
    const panel: unknown = (
      <DiffFilePanel
        {...{ file, fileId, sides, urls, sizes, rows, isCut, hasCompleteCounts, isOpen, anchor, headingId }}
      />
    );
    const html = String(panel);
    // The rows are counted already.
    tables.left -= html.length - rows.length;
    if (tables.left < 0 && index > 0) break;
    panels.push(raw(html));
    await setImmediate();
  }
  return panels;
}
