import { setImmediate } from 'node:timers/promises';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { pathTo } from '../../http/path-segments.ts';
import type { Diff } from '../../render/diff/diff-file.ts';
import { DiffFilePanel } from './diff-file-panel.tsx';
import type { DiffUrls } from './diff-urls.ts';

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
