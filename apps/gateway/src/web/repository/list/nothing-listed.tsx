interface Props {
  readonly isGroup: boolean;
  readonly filter: string | null;
  readonly cursor: string | null;
  readonly mayCreate: boolean;
}

/** Renders the reason why a list is empty, and what to do about it. */
export function NothingListed({ isGroup, filter, cursor, mayCreate }: Props) {
  if (filter !== null) return <p>No repositories or groups match “{filter}”.</p>;
  if (cursor !== null) return <p>There are no more repositories.</p>;
  if (isGroup) return <p>This group is empty, or you cannot read the repositories in it.</p>;
  return (
    <div class="panel">
      <div class="body">
        <h2>No repositories that you can read</h2>
        {mayCreate ? (
          <p>
            <a href="/_admin/create_repository">Create a repository</a>, empty or as a copy of a remote repository.
            Programs can use the method <code>create_repo</code> of the <a href="/_admin/api-docs">API</a>.
          </p>
        ) : (
          <p>Ask an administrator to create a repository or to give you access to one.</p>
        )}
      </div>
    </div>
  );
}
