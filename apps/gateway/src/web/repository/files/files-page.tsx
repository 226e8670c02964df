import { NotFoundError } from '@trunkline/contracts';
import { shownText } from '../../render/shown-text.ts';
import { fileAddress, type FileLocation } from './file-address.ts';
import { ChangesetLine } from '../../layout/inline.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { seeOther } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import { landingRevision, readHead, type RepositoryHead } from '../repository-head.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';
import { DirectoryPanel } from './directory-panel.tsx';
import { FilePanel, renderFile } from './file-panel.tsx';
import { choicesMax, revisionChoices, RevisionForm } from './revision-form.tsx';

/** Renders the directories above a file and the file itself, from the root of the repository on. */
function Breadcrumb({ location, root }: { location: FileLocation; root: string }) {
  const segments = location.path === '' ? [] : location.path.split('/');
  const steps = [root, ...segments].map((title, depth) => ({ title, path: segments.slice(0, depth).join('/') }));
  return (
    <nav class="breadcrumb" aria-label="Path">
      <ol>
        {steps.map(({ title, path }) => (
          <li>
            {path === location.path ? (
              <bdi aria-current="page">{shownText(title)}</bdi>
            ) : (
              <a href={fileAddress('files', { ...location, path })}>
                <bdi>{shownText(title)}</bdi>
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

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
  const rendering = await renderFile(visit.renderer, location, file, visit.query.has('plain'));
  return <FilePanel location={location} permanent={permanent} file={file} rendering={rendering} />;
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
  pageName: 'FilesController:index',
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
