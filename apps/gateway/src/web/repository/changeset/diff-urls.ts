import { pathTo } from '../../http/path-segments.ts';

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

export function contextLines(context: string | undefined): number {
  return context === undefined ? defaultContextLines : Number(context);
}

/** Returns the query parameters that choose the options; none for the defaults. */
export function diffQuery({ context, ignorews }: DiffOptions): Readonly<Record<string, string>> {
  return { ...(context === undefined ? {} : { context }), ...(ignorews ? { ignorews: '1' } : {}) };
}

/** Creates the URLs of a changeset, or of a range `a...b`, which may hold names with slashes. */
export function diffUrls(repository: string, revision: string, options: DiffOptions): DiffUrls {
  const pathOf = (page: string) => `${pathTo(repository, page)}/${encodeURIComponent(revision)}`;
  return {
    options,
    path: pathOf('changeset'),
    urlOf(page, overrides = {}) {
      const { context, ignorews } = { ...options, ...overrides };
      const query = new URLSearchParams(diffQuery({ context, ignorews })).toString();
      const path = pathOf(page);
      return query === '' ? path : `${path}?${query}`;
    },
  };
}
