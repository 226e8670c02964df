import type { Visit } from '../visit.ts';

/** Returns the cursor and the filter in the query of a list's page; null for an absent or empty one. */
export function listQuery({ query }: Visit) {
  return { filter: query.get('filter')?.trim() || null, cursor: query.get('cursor') || null };
}

/** Returns the query parameters of a list without its cursor. */
export function filterQuery(filter: string | null): Readonly<Record<string, string>> {
  return filter === null ? {} : { filter };
}
