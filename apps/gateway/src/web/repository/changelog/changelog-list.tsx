import type { HistoryRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { graphColumns, GraphSvg, layOutGraph } from '../../render/graph.tsx';
import { messageParts, parseAuthor } from '../../render/changeset-text.ts';
import { cutText, shownLines, shownText } from '../../render/shown-text.ts';
import { RefBadges, type ChangesetRefs } from '../refs/changeset-refs.tsx';

const aboutCharsMax = 300;
const moreCharsMax = 4_000;
const authorCharsMax = 100;

interface ChangesetProps {
  readonly base: string;
  readonly changeset: HistoryRecord;
  readonly refs: ChangesetRefs | undefined;
}

function About({ base, changeset: { raw_id: id, short_id: short, message }, refs }: ChangesetProps) {
  const { about, more } = messageParts(message);
  return (
    <div class="about">
      <a href={`${base}/changeset/${id}`}>{shownText(cutText(about, aboutCharsMax)) || <em>no message</em>}</a>{' '}
      <RefBadges found={refs} />
      {more !== '' && (
        <details>
          <summary>
            More<span class="visually-hidden"> of the message of {short}</span>
          </summary>
          <p class="message">{shownLines(cutText(more.replaceAll('\r\n', '\n'), moreCharsMax))}</p>
        </details>
      )}
    </div>
  );
}

function Meta({ base, changeset: { raw_id: id, short_id: short, author, date } }: Omit<ChangesetProps, 'refs'>) {
  return (
    <div class="meta">
      <span class="author">{shownText(cutText(parseAuthor(author).name, authorCharsMax))}</span>
      <When date={date} />
      <a class="mono" href={`${base}/changeset/${id}`}>
        {short}
      </a>
      <a href={`${base}/files/${id}`}>
        Files<span class="visually-hidden"> at {short}</span>
      </a>
    </div>
  );
}

interface Props {
  readonly repository: string;
  readonly changesets: readonly HistoryRecord[];
  readonly refs: ReadonlyMap<string, ChangesetRefs>;
}

/** Renders changesets, the newest first, beside the graph of their parents. */
export function ChangelogList({ repository, changesets, refs }: Props) {
  const base = pathTo(repository);
  const rows = layOutGraph(changesets.map(({ raw_id: id, parents }) => ({ id, parents })));
  const columns = graphColumns(rows);
  return (
    <ol class={`changelog graph-columns-${columns}`}>
      {changesets.map((changeset, index) => {
        const row = rows[index];
        return (
          <li>
            {row && <GraphSvg row={row} previous={rows[index - 1]} columns={columns} />}
            <div class="changeset">
              <About base={base} changeset={changeset} refs={refs.get(changeset.raw_id)} />
              <Meta base={base} changeset={changeset} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}
