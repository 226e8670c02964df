import { setImmediate } from 'node:timers/promises';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { pathTo } from '../../http/path-segments.ts';
import type { Diff } from '../../render/diff/diff-file.ts';
import { DiffFilePanel } from './diff-file-panel.tsx';
import type { DiffPaths } from './diff-paths.ts';

interface Drawn {
  readonly repository: string;
  readonly rawId: string;
  readonly diff: Diff;
  readonly paths: DiffPaths;
  /** Where the page shows several diffs: the number of this one's first file, and the id of its heading. */
  readonly first?: number;
  readonly headingId?: string;
}

/** Renders the files of a diff one by one, and yields to other requests between them. */
export async function drawPanels({ repository, rawId, diff, paths, first = 1, headingId }: Drawn): Promise<Child[]> {
  const filesPath = pathTo(repository, 'files', rawId);
  const rawPath = paths.to('changeset-diff');
  const panels: Child[] = [];
  for (const [index, file] of diff.files.entries()) {
    const isCounted = !(diff.truncated && file.isCut);
    const panel: unknown = (
      <DiffFilePanel {...{ file, filesPath, rawPath, isCounted, headingId }} number={first + index} />
    );
    panels.push(raw(String(panel)));
    await setImmediate();
  }
  return panels;
}
