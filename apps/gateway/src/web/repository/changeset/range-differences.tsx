import type { HistoryRecord } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { pathTo } from '../../http/path-segments.ts';
import { cutText } from '../../render/text/cut-text.ts';
import { messageParts } from '../../render/text/message-parts.ts';
import { shownText } from '../../render/text/shown-text.ts';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import { diffUrls, type DiffOptions } from './diff-urls.ts';
import { renderPanels } from './render-panels.tsx';
import { readDifferences } from './read-range.ts';

const aboutCharsMax = 300;

interface DifferenceProps {
  readonly name: string;
  readonly changeset: HistoryRecord;
  readonly panels: readonly Child[];
  readonly isCut: boolean;
}

function headingIdOf({ short_id: short }: HistoryRecord): string {
  return `changeset-${short}`;
}

/** Renders the diff of one changeset of the range. */
function Difference({ name, changeset, panels, isCut }: DifferenceProps) {
  const { raw_id: id, short_id: short, message } = changeset;
  const href = pathTo(name, 'changeset', id);
  return (
    <section aria-labelledby={headingIdOf(changeset)}>
      <h2 id={headingIdOf(changeset)}>
        <a class="mono" href={href}>
          {short}
        </a>{' '}
        {shownText(cutText(messageParts(message).about, aboutCharsMax))}
      </h2>
      {panels.length === 0 && <p class="soft">No files changed.</p>}
      {panels}
      {isCut && (
        <p class="warning">
          This changeset is too large to be shown in full here. See <a href={href}>its own page</a>.
        </p>
      )}
    </section>
  );
}

/** Renders the diff of each changeset; the files are numbered across all of the diffs. */
export async function renderDifferences(
  visit: Visit,
  { repo_id: repoid, repo_name: name }: RepositoryHead,
  found: readonly HistoryRecord[],
  options: DiffOptions,
) {
  const ids = found.map(({ raw_id: id }) => id);
  const diffs = await readDifferences(visit, repoid, ids, options);
  const shown: Child[] = [];
  let firstNumber = 1;
  for (const [index, changeset] of found.entries()) {
    const diff = diffs[index];
    if (!diff) continue;
    const urls = diffUrls(name, changeset.raw_id, options);
    const panels = await renderPanels({
      repository: name,
      changesetId: changeset.raw_id,
      diff,
      urls,
      firstNumber,
      headingId: headingIdOf(changeset),
    });
    firstNumber += panels.length;
    shown.push(<Difference name={name} changeset={changeset} panels={panels} isCut={diff.truncated} />);
  }
  return shown;
}
