import type { Visit } from '../visit.ts';

/** Which page of a list is asked for, and what is looked for in it. */
export function listQuery({ query }: Visit) {
  return { filter: query.get('filter')?.trim() || null, cursor: query.get('cursor') || null };
}

/** What an address says of a list beside its cursor. */
export function filterQuery(filter: string | null): Readonly<Record<string, string>> {
  return filter === null ? {} : { filter };
}
