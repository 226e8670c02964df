import type { HistoryRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/when.tsx';
import { parseAuthor } from '../../render/text/author-name.ts';
import { shownText } from '../../render/text/shown-text.ts';

function firstLine(message: string): string {
  return message.trimStart().split(/\r?\n|\r/, 1)[0] ?? '';
}

/** The newest changesets as a table. */
export function LatestChangesets({ name, changesets }: { name: string; changesets: readonly HistoryRecord[] }) {
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">Latest changesets</h2>
      <div class="scroll">
        <table class="changesets">
          <thead>
            <tr>
              <th scope="col">Changeset</th>
              <th scope="col">Message</th>
              <th scope="col">Author</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {changesets.map(({ raw_id: id, short_id: short, message, author, date }) => (
              <tr>
                <td>
                  <a class="mono" href={pathTo(name, 'changeset', id)}>
                    {short}
                  </a>
                </td>
                <td class="about">{shownText(firstLine(message)) || <em>no message</em>}</td>
                <td>{shownText(parseAuthor(author).name)}</td>
                <td>
                  <When date={date} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        <a href={pathTo(name, 'changelog')}>All changesets</a>
      </p>
    </section>
  );
}
