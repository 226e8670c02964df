import type { Visit } from '../visit.ts';

/** Returns the cursor and the filter in the query of a list's page; null for an absent or empty one. */
export function listQuery({ query }: Visit) {
  return { filter: query.get('filter')?.trim() || null, cursor: query.get('cursor') || null };
}

/** Returns the query parameters of a list without its cursor. */
export function filterQuery(filter: string | null): Readonly<Record<string, string>> {
  return filter === null ? {} : { filter };
}

/** Returns the query parameters of these names, trimmed and without empty ones. */
export function sentQuery(query: URLSearchParams, names: readonly string[]): Readonly<Record<string, string>> {
  const sent = names.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(sent.filter(([, value]) => value !== ''));
}

interface FilterFormProps {
  readonly label: string;
  readonly path: string;
  /** The present filter; null when there is none. */
  readonly filter: string | null;
  /** Query parameters that stay as they are. */
  readonly kept?: Readonly<Record<string, string>>;
}

function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Renders the search form above a list. */
export function FilterForm({ label, path, filter, kept = {} }: FilterFormProps) {
  return (
    <form method="get" action={path} class="inline" role="search">
      <label>
        {label}
        <input name="filter" type="search" value={filter ?? ''} maxlength={255} autocomplete="off" />
      </label>
      {Object.entries(kept).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class="plain">Filter</button>
      {filter !== null && <a href={withQuery(path, kept)}>Show all</a>}
    </form>
  );
}

interface PagerProps {
  /** The cursor of the current page; null for the first page. */
  readonly cursor: string | null;
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
  readonly path: string;
  /** The query parameters besides the cursor. */
  readonly query?: Readonly<Record<string, string>>;
}

/** Renders links to the next page of a list, and to the first one. */
export function Pager({ cursor, next, path, query = {} }: PagerProps) {
  const link = (fields: Readonly<Record<string, string>>) => withQuery(path, { ...query, ...fields });
  if (cursor === null && next === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {cursor !== null && <a href={link({})}>First page</a>}
      {next !== null && (
        <a href={link({ cursor: next })} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
