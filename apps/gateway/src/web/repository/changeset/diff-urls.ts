import { pathTo } from '../../http/path-segments.ts';

interface DiffOptions {
  readonly context?: string | undefined;
  readonly ignorews: boolean;
}

/** URLs of a changeset's diff as page, raw diff, patch and download; they keep the current page's options. */
export interface DiffUrls {
  readonly options: DiffOptions;
  urlOf(page: 'changeset' | `changeset-${'diff' | 'patch' | 'download'}`, overrides?: Partial<DiffOptions>): string;
}

const defaultContextLines = 3;

export function contextLines(context: string | undefined): number {
  return context === undefined ? defaultContextLines : Number(context);
}

export function diffUrls(repository: string, rawId: string, options: DiffOptions): DiffUrls {
  return {
    options,
    urlOf(page, overrides = {}) {
      const { context, ignorews } = { ...options, ...overrides };
      const query = new URLSearchParams({
        ...(context === undefined ? {} : { context }),
        ...(ignorews ? { ignorews: '1' } : {}),
      }).toString();
      const path = pathTo(repository, page, rawId);
      return query === '' ? path : `${path}?${query}`;
    },
  };
}
