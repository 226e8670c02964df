import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import { When } from '../../layout/inline.tsx';
import { feedsOf } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import { shownText } from '../../render/shown-text.ts';
import { fileAddress } from '../files/file-address.ts';
import { fullName, landingRevision } from '../full-name.ts';
import type { RepositoryHead } from '../repository-head.ts';

const archiveFormats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const;

function Archives({ repository }: { repository: RepositoryHead }) {
  const base = `${pathTo(repository.repo_name)}/archive/${encodeName(landingRevision(repository))}`;
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

/** Renders the facts about a repository, which are beside its files on wide screens and below them on others. */
export function RepositoryFacts({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  const { repo_name: name, repo_type: type, last_changeset: last, enable_downloads: hasArchives } = repository;
  const { fork_of: source, followers, default_ref: ref } = repository;
  const permanent = `${visit.baseUrl}/_${repository.repo_id}`;
  return (
    <aside aria-labelledby="about">
      <h2 id="about">About</h2>
      <dl class="facts">
        <dt>Type</dt>
        <dd>{type === 'hg' ? 'Mercurial' : 'Git'}</dd>
        <dt>Owner</dt>
        <dd>{repository.owner}</dd>
        <dt>Created</dt>
        <dd>
          <When date={repository.created_on} />
        </dd>
        {ref && (
          <>
            <dt>Default {ref.kind}</dt>
            <dd>
              <a href={fileAddress('files', { repository: name, revision: fullName(type, ref), path: '' })}>
                {shownText(ref.name)}
              </a>
            </dd>
          </>
        )}
        {source !== null && (
          <>
            <dt>Fork of</dt>
            <dd>
              <a href={pathTo(source)}>{source}</a>
            </dd>
          </>
        )}
        <dt>Followers</dt>
        <dd>
          <a href={pathTo(name, 'followers')}>{followers}</a>
        </dd>
        <dt>Permanent address</dt>
        <dd>
          <a href={permanent}>{permanent}</a>
        </dd>
        {hasArchives && last && <Archives repository={repository} />}
        <Feeds name={name} />
      </dl>
    </aside>
  );
}
