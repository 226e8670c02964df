import type { Child } from 'hono/jsx';
import { pathTo } from '../http/path-segments.ts';
import { shownLines } from '../render/text/shown-text.ts';
import { readHead, type RepositoryHead } from '../repository/head/repository-head.ts';
import type { PageAddress } from '../repository/repository-page.ts';
import type { Visit } from '../visit.ts';
import { FollowForm } from './follow-form.tsx';
import { RepositoryName, type Frame } from './page.tsx';
import { RepositoryBadges } from './repository-badges.tsx';
import { RepositoryTabs, type RepositoryTab } from './repository-tabs.tsx';
import { showPage } from './show-page.tsx';

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

function Head({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  const { repo_name: name, description, fork_of: source } = repository;
  return (
    <header class="repository-head">
      <div class="title">
        <h1>
          <RepositoryName name={name} />
        </h1>
        <RepositoryBadges repository={repository} />
        <FollowForm visit={visit} repository={repository} />
      </div>
      {source !== null && (
        <p class="soft small">
          Fork of <a href={pathTo(source)}>{source}</a>
        </p>
      )}
      {description !== '' && <p class="soft">{shownLines(description)}</p>}
    </header>
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
      <Head visit={visit} repository={repository} />
      <RepositoryTabs repository={repository} current={tab} />
      {children}
    </>
  );
}

/** Renders a page of a repository below the repository's name and tabs. */
export async function showRepositoryPage(visit: Visit, address: PageAddress, shown: Shown): Promise<Response> {
  const repository = shown.repository ?? (await readHead(visit, address));
  const { title, tab, status = 200, feeds = feedsOf(repository.repo_name), children } = shown;
  return showPage(visit, {
    title: `${title} · ${repository.repo_name}`,
    section: 'repositories',
    status,
    feeds,
    children: (
      <RepositoryFrame visit={visit} repository={repository} tab={tab}>
        {children}
      </RepositoryFrame>
    ),
  });
}
