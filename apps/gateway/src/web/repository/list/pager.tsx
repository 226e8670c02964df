interface Props {
  /** The cursor of the current page; null for the first. */
  readonly cursor: string | null;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
  readonly path: string;
  /** The other query parameters. */
  readonly query?: Readonly<Record<string, string>>;
}

/** Links to the next page of a list, and to the first one. */
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
