import type { HistoryRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/when.tsx';
import { parseAuthor } from '../../render/text/author-name.ts';
import { messageParts } from '../../render/text/message-parts.ts';
import { shownText } from '../../render/text/shown-text.ts';

/** Renders the newest changesets, one line each. */
export function LatestChangesets({ name, changesets }: { name: string; changesets: readonly HistoryRecord[] }) {
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">Latest changesets</h2>
      <ul class="plain rows changesets">
        {changesets.map(({ raw_id: id, short_id: short, message, author, date }) => (
          <li>
            <span class="about">{shownText(messageParts(message).about) || <em>no message</em>}</span>
            <span class="meta">
              <span>{shownText(parseAuthor(author).name)}</span>
              <When date={date} />
              <a class="mono" href={pathTo(name, 'changeset', id)}>
                {short}
              </a>
            </span>
          </li>
        ))}
      </ul>
      <p class="more">
        <a href={pathTo(name, 'changelog')}>All changesets</a>
      </p>
    </section>
  );
}
