import { NotFoundError } from '@trunkline/contracts';
import { ChangesetLine } from '../../layout/changeset-line.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { shownText } from '../../render/text/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { landingRevision } from '../head/landing-revision.ts';
import { readHead, type RepositoryHead } from '../head/repository-head.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';
import { Breadcrumb } from './breadcrumb.tsx';
import { DirectoryPanel } from './directory-panel.tsx';
import { fileAddress, type FileLocation } from './file-address.ts';
import { FilePanel } from './file-panel.tsx';
import { viewFile } from './file-view.ts';
import { choicesMax, revisionChoices } from './revision-choices.ts';
import { RevisionForm } from './revision-form.tsx';

/** Reads a file or directory, and the revisions to choose from; null at the start of an empty repository. */
async function read({ worker }: Visit, repository: RepositoryHead, location: FileLocation) {
  const { repo_id: repoid, landing_rev: landing, last_changeset: last } = repository;
  const { revision, path } = location;
  try {
    const [shown, refs] = await Promise.all([
      worker.call('view_path', { repoid, revision, path }),
      worker.call('list_refs', { repoid, limit: choicesMax }),
    ]);
    return { ...shown, choices: revisionChoices(refs) };
  } catch (error) {
    const isStart = path === '' && revision === landingRevision(landing);
    if (error instanceof NotFoundError && last === null && isStart) return null;
    throw error;
  }
}

type Shown = NonNullable<Awaited<ReturnType<typeof read>>>;

async function panelOf(
  visit: Visit,
  repository: RepositoryHead,
  location: FileLocation,
  { entries, file, changeset }: Shown,
) {
  if (!file)
    return <DirectoryPanel location={location} entries={entries ?? []} page={Number(visit.query.get('page'))} />;
  const permanent = { ...location, repository: `_${repository.repo_id}`, revision: changeset.raw_id };
  const view = await viewFile(visit.renderer, location, file, visit.query.has('plain'));
  return <FilePanel location={location} permanent={permanent} file={file} view={view} />;
}

async function content(visit: Visit, repository: RepositoryHead, location: FileLocation) {
  const shown = await read(visit, repository, location);
  if (!shown) return <EmptyRepository visit={visit} repository={repository} />;
  const { changeset, choices } = shown;
  const { repo_name: name } = repository;
  return (
    <>
      <h2 class="visually-hidden">{shownText(location.path) || 'Files'}</h2>
      <div class="files-head">
        <Breadcrumb location={location} root={name.slice(name.lastIndexOf('/') + 1)} />
        <RevisionForm location={location} choices={choices} isPlain={visit.query.has('plain')} />
      </div>
      <p class="at-changeset small soft">
        <ChangesetLine repository={name} changeset={changeset} />
      </p>
      {await panelOf(visit, repository, location, shown)}
    </>
  );
}

/** Redirects to the revision chosen in the form, which becomes a segment of the path. */
function redirectToRevision(location: FileLocation, query: URLSearchParams): Response {
  return seeOther(`${fileAddress('files', location)}${query.has('plain') ? '?plain=1' : ''}`);
}

/** The page of a directory or file of a repository at a revision. */
export const filesPage: RepositoryPage = {
  view: 'FilesController:index',
  async get(visit: Visit, address: PageAddress) {
    const repository = await readHead(visit, address);
    const [revision = landingRevision(repository.landing_rev), ...segments] = address.rest;
    const shown = { repository: repository.repo_name, revision, path: segments.join('/') };
    const at = visit.query.get('named')?.trim() || visit.query.get('at');
    if (at) return redirectToRevision({ ...shown, revision: at }, visit.query);
    return showRepositoryPage(visit, address, {
      title: shownText(shown.path) || 'Files',
      tab: 'files',
      repository,
      children: await content(visit, repository, shown),
    });
  },
};
