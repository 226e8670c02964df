import type { ActivityRecord } from '@trunkline/contracts';
import { When } from '../layout/when.tsx';
import { shownText } from '../render/text/shown-text.ts';
import type { Visitor } from '../visitor/visitor.ts';

/** The kind of activity that a page shows, with the page's title and path. */
export interface ActivityHeading {
  readonly kind: 'own' | 'public';
  readonly title: string;
  readonly path: string;
}

interface Props {
  readonly heading: ActivityHeading;
  readonly visitor: Visitor;
  readonly entries: readonly ActivityRecord[];
  readonly cursor: string | null;
  /** The cursor of the next page; null on the last page. */
  readonly next: number | null;
}

const about = {
  own: 'Recent activity in the repositories, and by the users, that you follow.',
  public: 'Recent activity in repositories that everybody may read.',
} as const;

const empty = {
  own: 'No activity yet. Activity in the repositories that you follow is shown here.',
  public: 'No activity yet.',
} as const;

function Entry({
  entry: { actor, actor_name: name, action, repo_name: repository, link, date, count = 1 },
}: {
  entry: ActivityRecord;
}) {
  return (
    <>
      <b title={shownText(actor)}>{shownText(name)}</b> {action}{' '}
      {link === null ? shownText(repository) : <a href={link}>{shownText(repository)}</a>}{' '}
      <span class="soft small">
        {count > 1 && `${count} times, `}
        <When date={date} />
      </span>
    </>
  );
}

/** Renders one page of activity, the newest entries first. */
export function ActivityList({ heading: { kind, title, path }, visitor, entries, cursor, next }: Props) {
  return (
    <>
      <h1>{title}</h1>
      {visitor.session && (
        <nav class="tabs" aria-label="Activity">
          <a href="/_admin/journal" {...(kind === 'own' ? { 'aria-current': 'page' } : {})}>
            Followed
          </a>
          <a href="/_admin/public_journal" {...(kind === 'public' ? { 'aria-current': 'page' } : {})}>
            Public
          </a>
        </nav>
      )}
      <p>{about[kind]}</p>
      <p class="meta">
        <a href={`${path}/rss`}>RSS feed</a>
        <a href={`${path}/atom`}>Atom feed</a>
        {visitor.session && (
          <span>
            For a feed reader, add <code>?api_key=</code> and one of your{' '}
            <a href="/_admin/my_account/api_keys">API keys</a> to the address.
          </span>
        )}
      </p>
      {entries.length === 0 ? (
        <p class="soft">{cursor === null ? empty[kind] : 'There is no older activity.'}</p>
      ) : (
        <ul class="plain rows">
          {entries.map((entry) => (
            <li>
              <Entry entry={entry} />
            </li>
          ))}
        </ul>
      )}
      {(cursor !== null || next !== null) && (
        <nav class="pager" aria-label="Pages">
          {cursor !== null && <a href={path}>Newest</a>}
          {next !== null && (
            <a href={`${path}?cursor=${next}`} rel="next">
              Older
            </a>
          )}
        </nav>
      )}
    </>
  );
}
