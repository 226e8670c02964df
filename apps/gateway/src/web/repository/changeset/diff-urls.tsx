import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import { pathOf, type DiffFile } from '../../render/diff/diff-file.ts';
import type { Visit } from '../../visit.ts';
import type { PageAddress } from '../repository-page.ts';

/** One file of a diff that is shown alone. */
export interface OnlyFile {
  readonly path: string;
  /** Its path before the change, where that was another one. */
  readonly oldPath?: string | undefined;
}

export interface DiffOptions {
  readonly context?: string | undefined;
  readonly ignorews: boolean;
  /** Whether the lines before and after the change stand side by side. */
  readonly split?: boolean | undefined;
  /** Number of the parent with which the changeset is compared, where it is not the first. */
  readonly parent?: string | undefined;
  readonly only?: OnlyFile | undefined;
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
export function diffQuery({ context, ignorews, split, parent, only }: DiffOptions): Readonly<Record<string, string>> {
  return {
    ...(context === undefined ? {} : { context }),
    ...(ignorews ? { ignorews: '1' } : {}),
    ...(split === true ? { view: 'split' } : {}),
    ...(parent === undefined ? {} : { parent }),
    ...(only && { file: only.path }),
    ...(only?.oldPath !== undefined && { from: only.oldPath }),
  };
}

/** Returns the options in an address. */
export function diffOptionsOf(query: URLSearchParams): DiffOptions {
  const [path, oldPath, parent] = ['file', 'from', 'parent'].map((name) => query.get(name) || undefined);
  return {
    context: query.get('context') || undefined,
    ignorews: query.get('ignorews') === '1',
    split: query.get('view') === 'split',
    parent,
    only: path === undefined ? undefined : { path, oldPath },
  };
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
      const { split, ...others } = { ...options, ...overrides };
      const chosen = diffQuery(page === 'changeset' ? { ...others, split } : others);
      const query = new URLSearchParams({ ...fixed, ...chosen }).toString();
      const path = pathOf(page === 'changeset' ? own : page);
      return query === '' ? path : `${path}?${query}`;
    },
  };
}

/** Returns the address of the page that shows a file alone, with larger limits. */
export function ownDiffOf(urls: DiffUrls, file: Pick<DiffFile, 'newPath' | 'oldPath'>): string {
  const path = pathOf(file);
  const oldPath = file.oldPath !== null && file.oldPath !== path ? file.oldPath : undefined;
  return urls.urlOf('changeset', { only: { path, oldPath } });
}

/** Returns the revision of a page's address; slashes in a name that is typed need not be escaped. */
export function revisionOf({ rest }: Pick<PageAddress, 'rest'>): string {
  return rest.join('/') || 'tip';
}

/** Returns the arguments of the diff that options choose. */
export function sentOptions({ context, ignorews, parent, only }: DiffOptions) {
  return {
    ...(context === undefined ? {} : { context }),
    ignorews,
    ...(parent === undefined ? {} : { parent }),
    ...(only && { path: only.path }),
    ...(only?.oldPath !== undefined && { old_path: only.oldPath }),
  };
}

/** Returns the arguments of the diff at a page's address; of a range, only the last revision counts. */
export function diffArgsOf({ query }: Pick<Visit, 'query'>, address: PageAddress) {
  const { repoid } = address;
  const last = revisionOf(address).split('...').at(-1) || 'tip';
  return { repoid, revision: last, ...sentOptions(diffOptionsOf(query)) };
}

/** The limit of the argument `context`. */
const contextMax = 1_000_000;

/** Renders links to the same page with other options of the diff. */
export function DiffOptionLinks({ urls }: { urls: DiffUrls }) {
  const { context, ignorews, split } = urls.options;
  const wider = Math.min(Math.max(contextLines(context) * 2, 1), contextMax);
  return (
    <>
      {split === true ? (
        <a href={urls.urlOf('changeset', { split: false })}>Unified</a>
      ) : (
        <a href={urls.urlOf('changeset', { split: true })}>Side by side</a>
      )}
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
      <a href={urls.urlOf('changeset-patch', { only: undefined, parent: undefined })}>Patch</a>
      <a href={urls.urlOf('changeset-download')}>Download</a>
      <DiffOptionLinks urls={urls} />
    </p>
  );
}
