import { pathTo } from '../../http/path-segments.ts';

interface DiffOptions {
  readonly context?: string | undefined;
  readonly ignorews: boolean;
}

/** The paths of a changeset's diff in its formats, with the options of the current page. */
export interface DiffPaths {
  readonly options: DiffOptions;
  to(page: 'changeset' | `changeset-${'diff' | 'patch' | 'download'}`, changed?: Partial<DiffOptions>): string;
}

const usualContext = 3;

export function contextOf(context: string | undefined): number {
  return context === undefined ? usualContext : Number(context);
}

export function diffPaths(repository: string, rawId: string, options: DiffOptions): DiffPaths {
  return {
    options,
    to(page, changed = {}) {
      const { context, ignorews } = { ...options, ...changed };
      const query = new URLSearchParams({
        ...(context === undefined ? {} : { context }),
        ...(ignorews ? { ignorews: '1' } : {}),
      }).toString();
      const path = pathTo(repository, page, rawId);
      return query === '' ? path : `${path}?${query}`;
    },
  };
}
