import { ForbiddenError, InvalidRequestError } from '@trunkline/contracts';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import { changelogPage } from './changelog/changelog-page.tsx';
import { changesetPage } from './changeset/changeset-page.tsx';
import { archivePage, atomPage, diffDownloadPage, diffPage, patchPage, rssPage } from './content/content-pages.ts';
import { rawFilePage, rawPage } from './content/file-pages.ts';
import { filesPage } from './files/files-page.tsx';
import { comparePage } from './compare/compare-page.tsx';
import { annotatePage } from './history/annotate-page.tsx';
import { followersPage } from './followers-page.tsx';
import { forksPage } from './forks-page.tsx';
import { kallitheaPages } from './kallithea-addresses.ts';
import { bookmarksPage, branchesPage, tagsPage } from './refs/refs-pages.tsx';
import type { Located } from './repository-locator.ts';
import { throwNoRepository, throwNoPage, type PageAddress, type RepositoryPage } from './repository-page.ts';
import { repositoryPageError } from './repository-page-error.ts';
import { branchPage } from './settings/branch-page.tsx';
import { deletePage } from './settings/delete-page.tsx';
import { generalPage } from './settings/general-page.tsx';
import { maintenancePage } from './settings/maintenance-page.tsx';
import { permissionsPage } from './settings/permissions-page.tsx';
import { summaryPage } from './summary/summary-page.tsx';
import { SignInNeededError } from '../identify.ts';
import { groupRoute } from './list/group-page.tsx';

/** Pages by the segments, at most two, that follow a repository's name in a path. */
export const repositoryPages: Readonly<Record<string, RepositoryPage>> = {
  ...kallitheaPages,
  '': summaryPage,
  annotate: annotatePage,
  archive: archivePage,
  bookmarks: bookmarksPage,
  branches: branchesPage,
  changelog: changelogPage,
  changeset: changesetPage,
  'changeset-diff': diffPage,
  'changeset-download': diffDownloadPage,
  'changeset-patch': patchPage,
  compare: comparePage,
  download: rawFilePage,
  'feed/atom': atomPage,
  'feed/rss': rssPage,
  files: filesPage,
  followers: followersPage,
  forks: forksPage,
  raw: rawPage,
  'raw-changeset': diffPage,
  rawfile: rawFilePage,
  settings: generalPage,
  'settings/branch': branchPage,
  'settings/delete': deletePage,
  'settings/maintenance': maintenancePage,
  'settings/permissions': permissionsPage,
  summary: summaryPage,
  tags: tagsPage,
};

/**
 * Finds the page whose segments stand at `from`, the longest first, and the number of these segments; null when those
 * of no page stand there. The segments are not copied: `pageOfMissing` looks at each of them.
 */
function pageAt(segments: readonly string[], from: number): { page: RepositoryPage; words: number } | null {
  const { [from]: first, [from + 1]: second } = segments;
  if (first === undefined) return { page: summaryPage, words: 0 };
  const pageNamed = (key: string) =>
    key !== '' && Object.hasOwn(repositoryPages, key) ? repositoryPages[key] : undefined;
  const long = second === undefined ? undefined : pageNamed(`${first}/${second}`);
  if (long) return { page: long, words: 2 };
  // An escaped slash stays inside its segment, so `settings%2Fdelete` is not the page of two segments.
  const short = first.includes('/') ? undefined : pageNamed(first);
  return short ? { page: short, words: 1 } : null;
}

/** Returns the page that a path would lead to if its shortest possible prefix named a repository; null for none. */
export function pageOfMissing(segments: readonly string[]): RepositoryPage | null {
  for (let nameLength = 1; nameLength < segments.length; nameLength += 1) {
    const found = pageAt(segments, nameLength);
    if (found) return found.page;
  }
  return null;
}

type Answer = (visit: Visit, address: PageAddress) => Promise<Response>;

const noPage: RepositoryPage = { pageName: 'HomeController:not_found', get: throwNoPage, post: throwNoPage };

const noForm: Answer = async () => {
  throw new InvalidRequestError('This page does not accept forms');
};

/**
 * Wraps a handler so that errors keep the repository's name and tabs for visitors who may read the repository, and hide
 * the repository from others.
 */
function inRepository(answer: Answer): Answer {
  return async (visit, address) => {
    try {
      return await answer(visit, address);
    } catch (error) {
      throw await repositoryPageError(error, visit, address);
    }
  };
}

/** Returns the route of the page at a path below a repository. */
export function repositoryRoute({ id: repoid, name, rest }: Located): PageRoute {
  const { page, words } = pageAt(rest, 0) ?? { page: noPage, words: 0 };
  const { pageName, audience = 'anybody', get, post = noForm } = page;
  const address = { repoid, name, rest: rest.slice(words) };
  return {
    pageName,
    audience,
    ...(get && { get: (visit: Visit) => inRepository(get)(visit, address) }),
    post: (visit: Visit) => inRepository(post)(visit, address),
    framed: (error, visit) => repositoryPageError(error, visit, address),
  };
}

/**
 * Returns the page of the group at a path that names no repository. When there is no such group, the answer is that of
 * a hidden repository's page at this path, so that the two cannot be told apart: a visitor with an API key gets no
 * group at the path of such a page, and an anonymous visitor of a page for users is redirected to the sign-in page.
 */
export function missingRoute(segments: readonly string[]): PageRoute {
  if (segments.length === 0) return groupRoute;
  const page = pageOfMissing(segments);
  const { get = throwNoRepository } = groupRoute;
  return {
    pageName: page?.pageName ?? groupRoute.pageName,
    audience: 'anybody',
    async get(visit) {
      const { kind } = visit.visitor.caller.credential;
      if (page && kind === 'key') return throwNoRepository(visit);
      try {
        return await get(visit);
      } catch (error) {
        const isOfUsers = kind === 'anonymous' && page?.audience === 'users';
        throw isOfUsers && error instanceof ForbiddenError ? new SignInNeededError() : error;
      }
    },
    post: throwNoRepository,
  };
}
