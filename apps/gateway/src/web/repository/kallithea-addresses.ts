import { contentHeaders } from '../../http/web-headers.ts';
import { pathTo } from '../http/path-segments.ts';
import type { Visit } from '../visit.ts';
import { diffUrls } from './changeset/diff-urls.tsx';
import { fileAddress, isAddressable, isAddressableEntry } from './files/file-address.ts';
import { readContentHead, type RepositoryHead } from './repository-head.ts';
import { throwNoPage, type PageAddress, type RepositoryPage } from './repository-page.ts';

interface Asked {
  readonly repository: RepositoryHead;
  /** The segments after those of the page. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** Returns the path of the page that shows the same, in the same repository; null where there is nothing to show. */
type FindPath = (asked: Asked) => string | null;

type Show = (visit: Visit, address: PageAddress) => Promise<Response>;

/** Leads to a page. The rights are read first: the answer about a hidden repository is that about a missing one. */
function leadingTo(findPath: FindPath): Show {
  return async (visit, address) => {
    const repository = await readContentHead(visit, address);
    const path = findPath({ repository, rest: address.rest, query: visit.query });
    if (path === null) return throwNoPage();
    return new Response(null, { status: 302, headers: { ...contentHeaders, Location: path } });
  };
}

function pathOfFile(
  { repo_name: repository }: RepositoryHead,
  revision: string,
  segments: readonly string[],
  page: 'annotate' | 'changelog' | 'files' = 'files',
): string | null {
  // Browsers resolve dots in an address, which would lead elsewhere.
  const leadsHere = isAddressable(revision) && !/^\.{0,2}$/.test(revision) && segments.every(isAddressableEntry);
  return leadsHere ? fileAddress(page, { repository, revision, path: segments.join('/') }) : null;
}

/** What stands for a file that is not there: in the first changeset that has it, or in the first that has not. */
const noRevision = /^(?:|None|0{12}|0{40})$/;

/** `/diff/<path>?diff1=<revision>&diff2=<revision>`, the change of one file; `split` shows its sides beside each other. */
function pathOfDiff({ repository, rest, query }: Asked, split = false): string | null {
  const [from = '', to = ''] = ['diff1', 'diff2'].map((name) => query.get(name) ?? '');
  if (query.has('show_rev') || noRevision.test(to)) return pathOfFile(repository, from || 'tip', rest);
  if (noRevision.test(from) || from === to) return pathOfFile(repository, to, rest);
  const context = query.get('context') ?? undefined;
  const options = { context, ignorews: query.get('ignorews') === '1', split, only: { path: rest.join('/') } };
  return diffUrls(repository.repo_name, `${from}...${to}`, options).urlOf('changeset');
}

function pathOfChangelog({ repository, query }: Asked): string {
  const branch = query.get('branch') ?? '';
  const path = pathTo(repository.repo_name, 'changelog');
  return branch === '' ? path : `${path}?${new URLSearchParams({ branch }).toString()}`;
}

function pathOfRendering({ repository, rest: [revision = 'tip', ...segments] }: Asked): string | null {
  return pathOfFile(repository, revision, segments);
}

/** Leads from `/commits/<revision>/<path>` to the history of the path; without a path, to the changelog. */
function pathOfHistory(asked: Asked): string | null {
  const [revision = '', ...segments] = asked.rest;
  if (segments.length === 0) return pathOfChangelog(asked);
  return pathOfFile(asked.repository, revision, segments, 'changelog');
}

/** The pages at addresses of Kallithea and RhodeCode, by the segment that follows a repository's name. */
export const kallitheaPages = {
  commits: { pageName: 'ChangelogController:index', get: leadingTo(pathOfHistory) },
  diff: { pageName: 'FilesController:diff', get: leadingTo((asked) => pathOfDiff(asked)) },
  'diff-2way': { pageName: 'FilesController:diff_2way', get: leadingTo((asked) => pathOfDiff(asked, true)) },
  history: { pageName: 'FilesController:history', get: leadingTo(pathOfHistory) },
  render: { pageName: 'FilesController:index', get: leadingTo(pathOfRendering) },
} as const satisfies Readonly<Record<string, RepositoryPage>>;
