import { levels, reaches } from '@trunkline/contracts';
import { servedRequests } from '../../../vcs-http/served-requests.ts';
import { pathTo } from '../../http/path-segments.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import { clientAddressOf, type AddressedVisit } from './client-address.ts';
import { FirstPush } from './first-push.tsx';

interface Props {
  readonly visit: AddressedVisit;
  readonly repository: RepositoryHead;
  /** What clients are served; the constant table unless a test says otherwise. */
  readonly served?: typeof servedRequests;
}

/** Renders instructions for a repository without changesets. */
export function EmptyRepository({ visit, repository, served = servedRequests }: Props) {
  const { repo_name: name, repo_type: type, level, clone_uri: source } = repository;
  const mayPush = served[type].push && reaches(levels[level], 'write');
  return (
    <section class="panel">
      <div class="body">
        <h2>This repository is empty</h2>
        {mayPush && <FirstPush address={clientAddressOf(visit, repository)} />}
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
        {level !== 'admin' && !mayPush && <p>Its first changesets will be listed here.</p>}
      </div>
    </section>
  );
}
