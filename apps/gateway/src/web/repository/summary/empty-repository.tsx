import { levels, reaches } from '@trunkline/contracts';
import {
  clientAddressOf,
  firstPush,
  servedRequests,
  type AddressedVisit,
  type ClientAddress,
} from './client-commands.ts';
import { pathTo } from '../../http/path-segments.ts';
import type { RepositoryHead } from '../repository-head.ts';

interface CommandLinesProps {
  readonly label: string;
  readonly lines: readonly string[];
}

/** Renders commands so that one click selects all of them, to be copied. */
export function CommandLines({ label, lines }: CommandLinesProps) {
  return (
    <pre class="copy" tabindex={0} role="group" aria-label={label}>
      {lines.join('\n')}
    </pre>
  );
}

/** Renders the commands of a first push. */
function FirstPush({ address }: { address: ClientAddress }) {
  const { ofFiles, ofRepository } = firstPush(address);
  return (
    <>
      <h3>Push files</h3>
      <CommandLines label="Commands to push files" lines={ofFiles} />
      <h3>Push a repository that exists</h3>
      <CommandLines label="Commands to push a repository" lines={ofRepository} />
    </>
  );
}

interface EmptyRepositoryProps {
  readonly visit: AddressedVisit;
  readonly repository: RepositoryHead;
  /** What clients are served; the constant table unless a test says otherwise. */
  readonly served?: typeof servedRequests;
}

/** Renders instructions for a repository without changesets. */
export function EmptyRepository({ visit, repository, served = servedRequests }: EmptyRepositoryProps) {
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
