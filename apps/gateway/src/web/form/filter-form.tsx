interface Props {
  readonly label: string;
  readonly path: string;
  /** The present filter; null when there is none. */
  readonly filter: string | null;
}

/** Renders the search form above a list. */
export function FilterForm({ label, path, filter }: Props) {
  return (
    <form method="get" action={path} class="inline" role="search">
      <label>
        {label}
        <input name="filter" type="search" value={filter ?? ''} maxlength={255} autocomplete="off" />
      </label>
      <button class="plain">Filter</button>
      {filter !== null && <a href={path}>Show all</a>}
    </form>
  );
}
