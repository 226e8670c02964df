import { pathTo } from '../../http/path-segments.ts';
import type { RepositoryHead } from '../head/repository-head.ts';

/** Renders instructions for a repository without changesets. */
export function EmptyRepository({ repository }: { repository: RepositoryHead }) {
  const { repo_name: name, level, clone_uri: source } = repository;
  return (
    <section class="panel">
      <div class="body">
        <h2>This repository is empty</h2>
        {level === 'admin' && source === null && (
          <p>
            Enter the URL of a remote repository in the <a href={pathTo(name, 'settings')}>settings</a>. An
            administrator can then pull from it.
          </p>
        )}
        {level === 'admin' && source !== null && (
          <p>
            Nothing has been pulled from its remote repository yet. See the{' '}
            <a href={pathTo(name, 'settings', 'maintenance')}>settings</a>.
          </p>
        )}
        {level !== 'admin' && <p>Its first changesets will be listed here.</p>}
      </div>
    </section>
  );
}
