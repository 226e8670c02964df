interface Badged {
  readonly repo_type: 'hg' | 'git';
  readonly private: boolean;
  readonly fork_of: string | null;
  readonly locked_by: string | null;
}

/** Renders the badges of a repository's type and state. */
export function RepositoryBadges({ repository }: { repository: Badged }) {
  const { repo_type: type, private: hidden, fork_of: source, locked_by: holder } = repository;
  return (
    <span class="badges">
      <span class="badge">{type === 'hg' ? 'Mercurial' : 'Git'}</span>
      {hidden && <span class="badge warn">private</span>}
      {source !== null && <span class="badge">fork</span>}
      {holder !== null && <span class="badge bad">locked by {holder}</span>}
    </span>
  );
}
