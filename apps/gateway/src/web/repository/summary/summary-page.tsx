import { OperationFailedError } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { cutText, shownText } from '../../render/shown-text.ts';
import { clientAddressOf, cloneCommand, servedRequests } from './client-commands.ts';
import { CommandLines, EmptyRepository } from './empty-repository.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import { DirectoryPanel } from '../files/directory-panel.tsx';
import { askedPage, readFilesPage, type FilesPage } from '../files/read-files-page.ts';
import { chosenRevision, revisionChoices, RevisionForm } from '../files/revision-form.tsx';
import { landingRevision } from '../full-name.ts';
import { readContentHead, type RepositoryHead } from '../repository-head.ts';
import { withoutRest, type RepositoryPage } from '../repository-page.ts';
import { ReadmePanel, readReadme } from './readme.tsx';
import { RepositoryFacts } from './repository-facts.tsx';

/** Renders the command that clones a repository, for clients that are served. */
function CloneBox({ visit, repository }: { visit: Visit; repository: RepositoryHead }) {
  if (!servedRequests[repository.repo_type].clone) return null;
  return <CommandLines label="Command to clone" lines={[cloneCommand(clientAddressOf(visit, repository))]} />;
}

const revisionCharsMax = 80;

/** Renders what the front page says in place of files. */
function NoFiles({ revision, isMissing }: { revision: string; isMissing: boolean }) {
  if (!isMissing) return <p class="warning">The files are too many to be shown, or cannot be read now.</p>;
  const name = shownText(cutText(revision, revisionCharsMax));
  return <p class="warning">There is no revision “{name}”, with whose files this page is to begin.</p>;
}

/** Returns the link to all changesets, with their number where the newest one is shown. */
function allChangesets(repository: RepositoryHead, { changeset }: NonNullable<FilesPage['shown']>) {
  const isNewest = changeset.raw_id === repository.last_changeset?.raw_id;
  const count = changeset.revision + 1;
  const title = isNewest ? `${count.toLocaleString('en')} changeset${count === 1 ? '' : 's'}` : 'All changesets';
  return { href: `${pathTo(repository.repo_name, 'changelog')}?branch=`, title };
}

interface FrontProps {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  /** Null when the files cannot be shown. */
  readonly found: FilesPage | null;
}

/** Renders the files of the root with their last changes, and the README below. */
async function frontFiles({ visit, repository, found }: FrontProps) {
  const revision = landingRevision(repository);
  const shown = found?.shown;
  if (!found || !shown) return <NoFiles revision={revision} isMissing={found !== null} />;
  const location = { repository: repository.repo_name, revision, path: '' };
  const readme = await readReadme(visit, repository, { revision, directory: '', entries: shown.entries ?? [] });
  return (
    <>
      <DirectoryPanel
        location={location}
        shown={shown}
        changes={found.changes}
        page={askedPage(visit)}
        history={allChangesets(repository, shown)}
      />
      {readme && <ReadmePanel readme={readme} />}
    </>
  );
}

/** Renders the form that leads to the files at another revision. */
function ChosenRevision({ repository, found }: Pick<FrontProps, 'repository' | 'found'>) {
  if (!found) return null;
  const { repo_name: name, repo_type: type } = repository;
  const revision = landingRevision(repository);
  return (
    <RevisionForm
      location={{ repository: name, revision, path: '' }}
      chosen={chosenRevision(type, revision, found.meaning)}
      choices={revisionChoices(type, found.refs)}
      isPlain={false}
    />
  );
}

async function readFront(visit: Visit, repository: RepositoryHead): Promise<FilesPage | null> {
  const at = { repoid: repository.repo_id, revision: landingRevision(repository), path: '' };
  try {
    return await readFilesPage(visit, at);
  } catch (error) {
    // The directory is too large to be read; the other facts can be shown without it.
    if (error instanceof OperationFailedError) return null;
    throw error;
  }
}

export const summaryPage: RepositoryPage = withoutRest({
  pageName: 'SummaryController:index',
  async get(visit, address) {
    const repository = await readContentHead(visit, address);
    const found = await readFront(visit, repository);
    const isEmpty = repository.last_changeset === null && !found?.shown;
    return showRepositoryPage(visit, address, {
      title: 'Summary',
      tab: 'summary',
      repository,
      children: (
        <>
          <h2 class="visually-hidden">Summary</h2>
          <div class="front">
            <div>
              <div class="front-head">
                {!isEmpty && <ChosenRevision repository={repository} found={found} />}
                <CloneBox visit={visit} repository={repository} />
              </div>
              {isEmpty ? (
                <EmptyRepository visit={visit} repository={repository} />
              ) : (
                await frontFiles({ visit, repository, found })
              )}
            </div>
            <RepositoryFacts visit={visit} repository={repository} />
          </div>
        </>
      ),
    });
  },
});
