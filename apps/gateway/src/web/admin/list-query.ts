import type { Visit } from '../visit.ts';

/** The cursor and the filter of a list in the page's address. */
export function listQuery({ query }: Visit) {
  return { filter: query.get('filter')?.trim() || null, cursor: query.get('cursor') || null };
}

/** The query of a list without its cursor. */
export function filterQuery(filter: string | null): Readonly<Record<string, string>> {
  return filter === null ? {} : { filter };
}
