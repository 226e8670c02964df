interface Props {
  /** The cursor of the current page; null for the first page. */
  readonly cursor: string | null;
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
  readonly path: string;
  /** The query parameters besides the cursor. */
  readonly query?: Readonly<Record<string, string>>;
}

/** Renders links to the next page of a list, and to the first one. */
export function Pager({ cursor, next, path, query = {} }: Props) {
  const link = (fields: Readonly<Record<string, string>>) => {
    const search = new URLSearchParams({ ...query, ...fields }).toString();
    return search === '' ? path : `${path}?${search}`;
  };
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
