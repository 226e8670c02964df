import type { ActivityRecord } from '@trunkline/contracts';
import { When } from './layout/inline.tsx';
import { shownText } from './render/shown-text.ts';
import type { Visitor, PageName } from './identify.ts';
import { showPage } from './layout/page.tsx';
import type { PageRoute } from './page-route.ts';
import type { Visit } from './visit.ts';
import { sendFeed } from './send-content.ts';

/** The kind of activity that a page shows, with the page's title and path. */
interface ActivityHeading {
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
function ActivityList({ heading: { kind, title, path }, visitor, entries, cursor, next }: Props) {
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

const perPage = 50;

async function showActivity(visit: Visit, heading: ActivityHeading): Promise<Response> {
  const { kind, title, path } = heading;
  const cursor = visit.query.get('cursor');
  const page = { limit: perPage + 1, ...(cursor === null ? {} : { cursor }) };
  const found: readonly ActivityRecord[] = await visit.worker.call('get_journal', { kind, ...page });
  const entries = found.slice(0, perPage);
  const next = found.length > perPage ? (entries.at(-1)?.id ?? null) : null;
  return showPage(visit, {
    title,
    section: 'journal',
    feeds: [
      { title: `${title}: RSS`, href: `${path}/rss`, type: 'application/rss+xml' },
      { title: `${title}: Atom`, href: `${path}/atom`, type: 'application/atom+xml' },
    ],
    children: <ActivityList heading={heading} visitor={visit.visitor} entries={entries} cursor={cursor} next={next} />,
  });
}

export const activityPage: PageRoute = {
  pageName: 'JournalController:index',
  audience: 'users',
  get: (visit) => showActivity(visit, { kind: 'own', title: 'Activity', path: '/_admin/journal' }),
};

export const publicActivityPage: PageRoute = {
  pageName: 'JournalController:public_journal',
  audience: 'anybody',
  get: (visit) => showActivity(visit, { kind: 'public', title: 'Public activity', path: '/_admin/public_journal' }),
};

type Kind = 'own' | 'public';
type Format = 'rss' | 'atom';

/** Returns the page that streams activity as an RSS or Atom feed. */
function feedPage(pageName: PageName, kind: Kind, format: Format): PageRoute {
  return {
    pageName,
    audience: kind === 'own' ? 'users' : 'anybody',
    async get(visit: Visit) {
      const feed = await visit.worker.open('journal_feed', { kind, format, base_url: visit.baseUrl });
      return sendFeed(visit, feed);
    },
  };
}

export const activityRss = feedPage('JournalController:journal_rss', 'own', 'rss');
export const activityAtom = feedPage('JournalController:journal_atom', 'own', 'atom');
export const publicActivityRss = feedPage('JournalController:public_journal_rss', 'public', 'rss');
export const publicActivityAtom = feedPage('JournalController:public_journal_atom', 'public', 'atom');
