interface Props {
  /** Of the page that is shown; null for the first. */
  readonly cursor: string | null;
  /** Of the page after it; null when it is the last. */
  readonly next: string | null;
  readonly path: string;
  /** What else the address says. */
  readonly query?: Readonly<Record<string, string>>;
}

/** Leads on to the next page of a long list, and back to the first. */
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
