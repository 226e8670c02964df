import { encodeName } from '@trunkline/runtime/text';
import { NotFoundError, OperationFailedError, type HistoryRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { ChangesetLine, When } from '../../layout/inline.tsx';
import { messageParts, parseAuthor } from '../../render/changeset-text.ts';
import { shownText } from '../../render/shown-text.ts';
import { clientAddressOf, cloneCommand, servedRequests } from './client-commands.ts';
import { CommandLines, EmptyRepository } from './empty-repository.tsx';
import { feedsOf, showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import { fileAddress } from '../files/file-address.ts';
import { fullName, landingRevision } from '../full-name.ts';
import { readContentHead, type RepositoryHead } from '../repository-head.ts';
import { withoutRest, type RepositoryPage } from '../repository-page.ts';
import { ReadmePanel, readReadme } from './readme.tsx';

/** Renders the newest changesets, one line each. */
function LatestChangesets({ name, changesets }: { name: string; changesets: readonly HistoryRecord[] }) {
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">Latest changesets</h2>
      <ul class="plain rows changesets">
        {changesets.map(({ raw_id: id, short_id: short, message, author, date }) => (
          <li>
            <span class="about">{shownText(messageParts(message).about) || <em>no message</em>}</span>
            <span class="meta">
              <span>{shownText(parseAuthor(author).name)}</span>
              <When date={date} />
              <a class="mono" href={pathTo(name, 'changeset', id)}>
                {short}
              </a>
            </span>
          </li>
        ))}
      </ul>
      <p class="more">
        <a href={`${pathTo(name, 'changelog')}?branch=`}>All changesets</a>
      </p>
    </section>
  );
}

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

/** Renders the facts about a repository as a list. */
function RepositoryFacts({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  const { repo_name: name, repo_type: type, last_changeset: last, enable_downloads: hasArchives } = repository;
  const { default_ref: ref } = repository;
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
      {ref && (
        <>
          <dt>Default {ref.kind}</dt>
          <dd>
            <a
              href={fileAddress('files', { repository: name, revision: fullName(repository.repo_type, ref), path: '' })}
            >
              {shownText(ref.name)}
            </a>
          </dd>
        </>
      )}
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

const changesetsMax = 10;

/** Reads the README of the root at the landing revision; null when there is none. */
async function readRootReadme(visit: Visit, repository: RepositoryHead) {
  const revision = landingRevision(repository);
  try {
    const { entries } = await visit.worker.call('view_path', { repoid: repository.repo_id, revision, path: '' });
    return await readReadme(visit, repository, { revision, directory: '', entries: entries ?? [] });
  } catch (error) {
    // The revision does not exist, or the directory is too large to be read.
    if (error instanceof NotFoundError || error instanceof OperationFailedError) return null;
    throw error;
  }
}

async function read(visit: Visit, repository: RepositoryHead) {
  const args = { repoid: repository.repo_id, reverse: true, limit: changesetsMax };
  const [changesets, readme] = await Promise.all([
    visit.worker.call('get_changesets', args),
    readRootReadme(visit, repository),
  ]);
  return { changesets, readme };
}

export const summaryPage: RepositoryPage = withoutRest({
  pageName: 'SummaryController:index',
  async get(visit, address) {
    const repository = await readContentHead(visit, address);
    const { changesets, readme } = await read(visit, repository);
    return showRepositoryPage(visit, address, {
      title: 'Summary',
      tab: 'summary',
      repository,
      children: (
        <>
          <h2 class="visually-hidden">Summary</h2>
          <RepositoryFacts visit={visit} repository={repository} />
          {changesets.length === 0 ? (
            <EmptyRepository visit={visit} repository={repository} />
          ) : (
            <LatestChangesets name={repository.repo_name} changesets={changesets} />
          )}
          {readme && <ReadmePanel readme={readme} />}
        </>
      ),
    });
  },
});
