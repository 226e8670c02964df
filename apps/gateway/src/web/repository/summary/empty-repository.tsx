import { pathTo } from '../../http/path-segments.ts';
import type { RepositoryHead } from '../head/repository-head.ts';

/** Instructions for a repository without changesets. */
export function EmptyRepository({ repository }: { repository: RepositoryHead }) {
  const { repo_name: name, level, clone_uri: source } = repository;
  return (
    <section class="panel">
      <div class="body">
        <h2>This repository is empty</h2>
        {level === 'admin' && source === null && (
          <p>
            Name a repository elsewhere in the <a href={pathTo(name, 'settings')}>settings</a>, from which an
            administrator can pull.
          </p>
        )}
        {level === 'admin' && source !== null && (
          <p>
            It has not pulled anything from its remote repository yet: see the{' '}
            <a href={pathTo(name, 'settings', 'maintenance')}>settings</a>.
          </p>
        )}
        {level !== 'admin' && <p>Its first changesets will be listed here.</p>}
      </div>
    </section>
  );
}
