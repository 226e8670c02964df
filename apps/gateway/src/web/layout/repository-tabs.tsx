import { levels, reaches } from '@trunkline/contracts';
import { pathTo } from '../http/path-segments.ts';
import { hasBranches } from '../repository/head/has-branches.ts';
import { landingRevision } from '../repository/head/landing-revision.ts';
import type { RepositoryHead } from '../repository/head/repository-head.ts';

export type RepositoryTab =
  | 'summary'
  | 'files'
  | 'changelog'
  | 'branches'
  | 'tags'
  | 'bookmarks'
  | 'forks'
  | 'followers'
  | 'settings';

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

function tabsOf(repository: RepositoryHead): TabLink[] {
  const { repo_type: type, landing_rev: landing, forks, followers } = repository;
  const settings = settingsPathFor(repository);
  return [
    { tab: 'summary', title: 'Summary', path: '' },
    { tab: 'files', title: 'Files', path: `/files/${encodeURIComponent(landingRevision(landing))}` },
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

export function RepositoryTabs({ repository, current }: Props) {
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
