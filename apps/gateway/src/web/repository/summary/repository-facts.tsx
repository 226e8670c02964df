import { pathTo } from '../../http/path-segments.ts';
import { servedRequests } from '../../../vcs-http/served-requests.ts';
import { ChangesetLine } from '../../layout/changeset-line.tsx';
import { CommandLines } from '../../layout/command-lines.tsx';
import { feedsOf } from '../../layout/repository-frame.tsx';
import { When } from '../../layout/when.tsx';
import type { Visit } from '../../visit.ts';
import { landingRevision } from '../head/landing-revision.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import { clientAddressOf } from './client-address.ts';
import { cloneCommand } from './client-commands.ts';

const archiveFormats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const;

function Archives({ repository }: { repository: RepositoryHead }) {
  const base = `${pathTo(repository.repo_name)}/archive/${encodeURIComponent(landingRevision(repository.landing_rev))}`;
  return (
    <>
      <dt>Archives</dt>
      <dd class="meta">
        {archiveFormats.map((format) => (
          <a href={`${base}.${format}`}>{format}</a>
        ))}
      </dd>
    </>
  );
}

function Feeds({ name }: { name: string }) {
  const [rss, atom] = feedsOf(name);
  return (
    <>
      <dt>Feeds</dt>
      <dd class="meta">
        <a href={rss?.href}>RSS</a>
        <a href={atom?.href}>Atom</a>
      </dd>
    </>
  );
}

/** Renders the facts about a repository as a list. */
export function RepositoryFacts({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  const { repo_name: name, repo_type: type, last_changeset: last, enable_downloads: hasArchives } = repository;
  const permanent = `${visit.baseUrl}/_${repository.repo_id}`;
  return (
    <dl class="facts">
      {servedRequests[type].clone && (
        <>
          <dt>Clone</dt>
          <dd>
            <CommandLines label="Command to clone" lines={[cloneCommand(clientAddressOf(visit, repository))]} />
          </dd>
        </>
      )}
      <dt>Type</dt>
      <dd>{type === 'hg' ? 'Mercurial' : 'Git'}</dd>
      <dt>Owner</dt>
      <dd>{repository.owner}</dd>
      <dt>Created</dt>
      <dd>
        <When date={repository.created_on} />
      </dd>
      <dt>Last change</dt>
      <dd>{last ? <ChangesetLine repository={name} changeset={last} /> : 'none yet'}</dd>
      <dt>Permanent address</dt>
      <dd>
        <a href={permanent}>{permanent}</a>
      </dd>
      {hasArchives && last && <Archives repository={repository} />}
      <Feeds name={name} />
    </dl>
  );
}
