import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import type { Visit } from '../../visit.ts';
import type { PageAddress } from '../repository-page.ts';

export interface DiffOptions {
  readonly context?: string | undefined;
  readonly ignorews: boolean;
}

/** URLs of a changeset's diff as page, raw diff, patch and download; they keep the current page's options. */
export interface DiffUrls {
  readonly options: DiffOptions;
  /** The path of the page, without options. */
  readonly path: string;
  urlOf(page: 'changeset' | `changeset-${'diff' | 'patch' | 'download'}`, overrides?: Partial<DiffOptions>): string;
}

const defaultContextLines = 3;

function contextLines(context: string | undefined): number {
  return context === undefined ? defaultContextLines : Number(context);
}

/** Returns the query parameters that choose the options; none for the defaults. */
export function diffQuery({ context, ignorews }: DiffOptions): Readonly<Record<string, string>> {
  return { ...(context === undefined ? {} : { context }), ...(ignorews ? { ignorews: '1' } : {}) };
}

/** What else an address has: another page than that of a changeset, and a part of its query. */
interface Elsewhere {
  readonly page?: 'changeset' | 'compare';
  readonly fixed?: Readonly<Record<string, string>>;
}

/** Creates the URLs of a changeset, or of a range `a...b`, which may hold names with slashes. */
export function diffUrls(
  repository: string,
  revision: string,
  options: DiffOptions,
  { page: own = 'changeset', fixed = {} }: Elsewhere = {},
): DiffUrls {
  const pathOf = (page: string) => `${pathTo(repository, page)}/${encodeName(revision)}`;
  return {
    options,
    path: pathOf(own),
    urlOf(page, overrides = {}) {
      const { context, ignorews } = { ...options, ...overrides };
      const query = new URLSearchParams({ ...fixed, ...diffQuery({ context, ignorews }) }).toString();
      const path = pathOf(page === 'changeset' ? own : page);
      return query === '' ? path : `${path}?${query}`;
    },
  };
}

/** Returns the revision of a page's address; slashes in a name that is typed need not be escaped. */
export function revisionOf({ rest }: Pick<PageAddress, 'rest'>): string {
  return rest.join('/') || 'tip';
}

/** Returns the revision and the diff options in a page's address; of a range, only the last revision counts. */
export function diffArgsOf({ query }: Pick<Visit, 'query'>, address: PageAddress) {
  const { repoid } = address;
  const last = revisionOf(address).split('...').at(-1) || 'tip';
  const context = query.get('context');
  return {
    repoid,
    revision: last,
    ...(context ? { context } : {}),
    ignorews: query.get('ignorews') === '1',
  };
}

/** The limit of the argument `context`. */
const contextMax = 1_000_000;

/** Renders links to the same page with other options of the diff. */
export function DiffOptionLinks({ urls }: { urls: DiffUrls }) {
  const { context, ignorews } = urls.options;
  const wider = Math.min(Math.max(contextLines(context) * 2, 1), contextMax);
  return (
    <>
      <a href={urls.urlOf('changeset', { context: String(wider) })}>More context</a>
      {context !== undefined && <a href={urls.urlOf('changeset', { context: undefined })}>Default context</a>}
      {ignorews ? (
        <a href={urls.urlOf('changeset', { ignorews: false })}>Show whitespace changes</a>
      ) : (
        <a href={urls.urlOf('changeset', { ignorews: true })}>Ignore whitespace changes</a>
      )}
    </>
  );
}

/** Renders links to the same diff in other formats and with other options. */
export function DiffLinks({ urls }: { urls: DiffUrls }) {
  return (
    <p class="meta diff-links">
      <a href={urls.urlOf('changeset-diff')}>Raw diff</a>
      <a href={urls.urlOf('changeset-patch')}>Patch</a>
      <a href={urls.urlOf('changeset-download')}>Download</a>
      <DiffOptionLinks urls={urls} />
    </p>
  );
}
