import type { ActivityRecord } from '@trunkline/contracts';
import { When } from '../layout/when.tsx';
import { shownText } from '../render/text/shown-text.ts';
import type { Visitor } from '../visitor/visitor.ts';

/** Which activity a page shows. */
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
  /** The cursor of the next page; null on the last one. */
  readonly next: number | null;
}

const about = {
  own: 'What was done lately to the repositories, and by the users, that you follow.',
  public: 'What was done lately to repositories that everybody may read.',
} as const;

const empty = {
  own: 'Nothing yet. Follow a repository, and what is done to it is heading here.',
  public: 'Nothing yet.',
} as const;

function Entry({
  entry: { actor, actor_name: name, action, repo_name: repository, link, date },
}: {
  entry: ActivityRecord;
}) {
  return (
    <>
      <b title={shownText(actor)}>{shownText(name)}</b> {action}{' '}
      {link === null ? shownText(repository) : <a href={link}>{shownText(repository)}</a>}{' '}
      <span class="soft small">
        <When date={date} />
      </span>
    </>
  );
}

/** A page of activity, the newest first. */
export function ActivityList({ heading: { kind, title, path }, visitor, entries, cursor, next }: Props) {
  return (
    <>
      <h1>{title}</h1>
      {visitor.session && (
        <nav class="tabs" aria-label="Journals">
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
            Feed readers add <code>?api_key=</code> and <a href="/_admin/my_account/api_keys">a key of yours</a>.
          </span>
        )}
      </p>
      {entries.length === 0 ? (
        <p class="soft">{cursor === null ? empty[kind] : 'There is nothing older.'}</p>
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
