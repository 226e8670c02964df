interface Props {
  readonly isGroup: boolean;
  readonly filter: string | null;
  readonly cursor: string | null;
  readonly mayCreate: boolean;
}

/** Why a list is empty, and what to do about it. */
export function NothingListed({ isGroup, filter, cursor, mayCreate }: Props) {
  if (filter !== null) return <p>No name of a repository or group contains “{filter}”.</p>;
  if (cursor !== null) return <p>There is nothing after this.</p>;
  if (isGroup) return <p>This group is empty, or you may not read what is in it.</p>;
  return (
    <div class="panel">
      <div class="body">
        <h2>There is nothing yet that you may read</h2>
        {mayCreate ? (
          <p>
            <a href="/_admin/create_repository">Create the first repository</a>, empty or as a copy of one that is
            elsewhere. Programs do the same with <code>create_repo</code> of the <a href="/_admin/api-docs">API</a>.
          </p>
        ) : (
          <p>Ask an administrator to create a repository, or to let you read one.</p>
        )}
      </div>
    </div>
  );
}
