import { encodeName } from '@trunkline/runtime/text';
import { levels, reaches } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { hasLandingRevision, landingRevision } from '../repository/full-name.ts';
import { hasBranches, readHead, type RepositoryHead } from '../repository/repository-head.ts';
import type { Visit } from '../visit.ts';
import { CsrfField, RepositoryName, showContentPage, showPage, type Frame } from './page.tsx';
import { pathTo } from '../http/path-segments.ts';
import { shownLines } from '../render/shown-text.ts';
import type { PageAddress } from '../repository/repository-page.ts';

interface Badged {
  readonly repo_type: 'hg' | 'git';
  readonly private: boolean;
  readonly fork_of: string | null;
  readonly locked_by: string | null;
}

/** Renders the badges of a repository's type and state. */
export function RepositoryBadges({ repository }: { repository: Badged }) {
  const { repo_type: type, private: hidden, fork_of: source, locked_by: holder } = repository;
  return (
    <span class="badges">
      <span class="badge type">{type === 'hg' ? 'Mercurial' : 'Git'}</span>
      {hidden && <span class="badge warn">private</span>}
      {source !== null && <span class="badge">fork</span>}
      {holder !== null && <span class="badge bad">locked by {holder}</span>}
    </span>
  );
}

/** Renders the form that follows or unfollows a repository, for visitors who are signed in. */
function FollowForm({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  const { visitor } = visit;
  if (!visitor.session) return null;
  return (
    <form method="post" action="/_admin/toggle_following">
      <CsrfField visitor={visitor} />
      <input type="hidden" name="follows_repo_id" value={repository.repo_id} />
      <input type="hidden" name="came_from" value={visit.http.incoming.url ?? '/'} />
      <button class="plain small">{repository.is_following ? 'Unfollow' : 'Follow'}</button>
    </form>
  );
}

type RepositoryTab =
  | 'summary'
  | 'files'
  | 'changelog'
  | 'branches'
  | 'tags'
  | 'bookmarks'
  | 'forks'
  | 'followers'
  | 'settings';

/** The tabs of what is in a repository; the other ones show whom it belongs to, and their forms. */
const contentTabs: ReadonlySet<RepositoryTab> = new Set([
  'summary',
  'files',
  'changelog',
  'branches',
  'tags',
  'bookmarks',
]);

interface TabLink {
  readonly tab: RepositoryTab;
  readonly title: string;
  readonly path: string;
  readonly count?: number;
}

/** Returns the first settings page with something for the visitor; null for none. */
function settingsPathFor(repository: RepositoryHead): string | null {
  if (repository.level === 'admin') return '/settings';
  return reaches(levels[repository.level], 'write') && hasBranches(repository) ? '/settings/branch' : null;
}

/** Names no revision where the head was read without the default branch: the page of files finds it by itself. */
function filesPathOf(repository: RepositoryHead): string {
  const isKnown = repository.default_ref !== undefined || hasLandingRevision(repository);
  return isKnown ? `/files/${encodeName(landingRevision(repository))}` : '/files';
}

function tabsOf(repository: RepositoryHead): TabLink[] {
  const { repo_type: type, forks, followers } = repository;
  const settings = settingsPathFor(repository);
  return [
    { tab: 'summary', title: 'Summary', path: '' },
    { tab: 'files', title: 'Files', path: filesPathOf(repository) },
    { tab: 'changelog', title: 'Changelog', path: '/changelog' },
    { tab: 'branches', title: 'Branches', path: '/branches' },
    { tab: 'tags', title: 'Tags', path: '/tags' },
    ...(type === 'hg' ? [{ tab: 'bookmarks', title: 'Bookmarks', path: '/bookmarks' } as const] : []),
    { tab: 'forks', title: 'Forks', path: '/forks', count: forks },
    { tab: 'followers', title: 'Followers', path: '/followers', count: followers },
    ...(settings === null ? [] : [{ tab: 'settings', title: 'Settings', path: settings } as const]),
  ];
}

interface Props {
  readonly repository: RepositoryHead;
  readonly current: RepositoryTab | null;
}

function RepositoryTabs({ repository, current }: Props) {
  const base = pathTo(repository.repo_name);
  return (
    <nav class="tabs" aria-label="Repository">
      {tabsOf(repository).map(({ tab, title, path, count = 0 }) => (
        <a href={`${base}${path}`} {...(tab === current ? { 'aria-current': 'page' } : {})}>
          {title}
          {count > 0 && <span class="count"> {count}</span>}
        </a>
      ))}
    </nav>
  );
}

interface Shown {
  /** The title of the page, such as `Changelog`. */
  readonly title: string;
  readonly tab: RepositoryTab | null;
  readonly children: Child;
  readonly status?: number;
  /** The feeds of the page; by default those of the repository's changesets. */
  readonly feeds?: Frame['feeds'];
  /** The head of the repository, if the page has read it already. */
  readonly repository?: RepositoryHead;
}

/** Returns the feeds of a repository's changesets: RSS, then Atom. */
export function feedsOf(name: string) {
  return [
    { title: `${name}: RSS`, href: `${pathTo(name)}/feed/rss`, type: 'application/rss+xml' },
    { title: `${name}: Atom`, href: `${pathTo(name)}/feed/atom`, type: 'application/atom+xml' },
  ];
}

/** Renders the name and state of a repository: in one line, but in full on the front page. */
function Head({ visit, repository, tab }: Omit<FrameProps, 'children'>) {
  return (
    <header class={tab === 'summary' ? 'repository-head' : 'repository-head short'}>
      <div class="title">
        <h1>
          <RepositoryName name={repository.repo_name} />
        </h1>
        <RepositoryBadges repository={repository} />
        <FollowForm visit={visit} repository={repository} />
      </div>
    </header>
  );
}

/** Renders what the front page alone tells of a repository. */
function About({ repository: { description, fork_of: source } }: Pick<FrameProps, 'repository'>) {
  return (
    <>
      {description !== '' && <p>{shownLines(description)}</p>}
      {source !== null && (
        <p class="soft small">
          Fork of <a href={pathTo(source)}>{source}</a>
        </p>
      )}
    </>
  );
}

interface FrameProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  readonly tab: RepositoryTab | null;
  readonly children: Child;
}

/** Renders a repository's name and tabs above the content of a page, whose own headings begin with h2. */
export function RepositoryFrame({ visit, repository, tab, children }: FrameProps) {
  return (
    <>
      <Head visit={visit} repository={repository} tab={tab} />
      <RepositoryTabs repository={repository} current={tab} />
      {tab === 'summary' && <About repository={repository} />}
      {children}
    </>
  );
}

/** Renders a page of a repository below the repository's name and tabs. */
export async function showRepositoryPage(visit: Visit, address: PageAddress, shown: Shown): Promise<Response> {
  const repository = shown.repository ?? (await readHead(visit, address));
  const { title, tab, status = 200, feeds = feedsOf(repository.repo_name), children } = shown;
  const page = {
    title: `${title} · ${repository.repo_name}`,
    section: 'repositories',
    feeds,
    children: (
      <RepositoryFrame visit={visit} repository={repository} tab={tab}>
        {children}
      </RepositoryFrame>
    ),
  } as const;
  const isContent = status === 200 && tab !== null && contentTabs.has(tab);
  return isContent ? showContentPage(visit, page) : showPage(visit, { ...page, status });
}
