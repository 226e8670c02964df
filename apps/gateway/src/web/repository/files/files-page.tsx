import { NotFoundError } from '@trunkline/contracts';
import { shownText } from '../../render/shown-text.ts';
import { fileAddress, type FileLocation } from './file-address.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { seeOther } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import { landingRevision } from '../full-name.ts';
import { linkedRevision, NameNote, splitAtLongest, splitAtName } from '../typed-revision.tsx';
import { readContentHead } from '../repository-head.ts';
import { RepositoryPageError } from '../repository-page-error.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';
import { ReadmePanel, readReadme } from '../summary/readme.tsx';
import { DirectoryPanel } from './directory-panel.tsx';
import { SubmoduleFacts } from './directory-row.tsx';
import { FilePanel } from './file-panel.tsx';
import { parseLineRange } from './marked-lines.ts';
import { askedPage, readFilesPage, type AskedFiles, type FilesPage } from './read-files-page.ts';
import { renderFile } from './render-file.ts';
import { chosenRevision, revisionChoices, RevisionForm } from './revision-form.tsx';

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

async function directoryOf(visit: Visit, location: FileLocation, { repository, shown, changes }: Listed) {
  const { revision, path: directory } = location;
  const readme = await readReadme(visit, repository, { revision, directory, entries: shown.entries ?? [] });
  return (
    <>
      <DirectoryPanel location={location} shown={shown} changes={changes} page={askedPage(visit)} />
      {readme && <ReadmePanel readme={readme} />}
    </>
  );
}

/** A page on which a file or directory was found. */
type Listed = FilesPage & { readonly shown: NonNullable<FilesPage['shown']> };

async function fileOf(visit: Visit, location: FileLocation, { repository, shown: { changeset, file } }: Listed) {
  if (!file) return null;
  const permanent = { ...location, repository: `_${repository.repo_id}`, revision: changeset.raw_id };
  const range = parseLineRange(visit.query.get('lines'));
  const rendering = await renderFile(
    visit,
    repository.repo_id,
    location,
    file,
    range !== null || visit.query.has('plain'),
  );
  return <FilePanel {...{ location, permanent, changeset, file, rendering, range }} />;
}

/** Says of a submodule what is known of it here. */
function SubmodulePanel({ repository, submodule }: Parameters<typeof SubmoduleFacts>[0]) {
  return (
    <section class="panel file" aria-label="Submodule">
      <header>
        <p>
          <span class="badge">submodule</span> <SubmoduleFacts repository={repository} submodule={submodule} />
        </p>
      </header>
      <p class="body">
        There is a submodule here, whose files are in another repository, at the commit{' '}
        <code>{shownText(submodule.commit)}</code>.
      </p>
    </section>
  );
}

/**
 * Renders what was found at a typed revision, with links from a location; throws the error of what was not found, unless
 * it is the start of an empty repository.
 */
async function content(visit: Visit, revision: string, location: FileLocation, found: FilesPage) {
  const { repository, shown, submodule, refs, meaning, not_found: missing } = found;
  const { repo_name: name, repo_type: type, last_changeset: last } = repository;
  const hrefOf = (other: string) => fileAddress('files', { ...location, revision: other });
  const note = <NameNote repository={repository} revision={revision} meaning={meaning} hrefOf={hrefOf} />;
  if (!shown && !submodule) {
    const isStart = location.path === '' && revision === landingRevision(repository);
    if (last === null && isStart) return <EmptyRepository visit={visit} repository={repository} />;
    throw new RepositoryPageError(visit, repository, new NotFoundError(missing ?? ''), note);
  }
  return (
    <>
      <h2 class="visually-hidden">{shownText(location.path) || 'Files'}</h2>
      <div class="files-head">
        <RevisionForm
          location={location}
          chosen={chosenRevision(type, revision, meaning)}
          choices={revisionChoices(type, refs)}
          isPlain={visit.query.has('plain')}
        />
        <Breadcrumb location={location} root={name.slice(name.lastIndexOf('/') + 1)} />
      </div>
      {note}
      {shown && (await (shown.file ? fileOf : directoryOf)(visit, location, { ...found, shown }))}
      {submodule && <SubmodulePanel repository={name} submodule={submodule} />}
    </>
  );
}

/** Reads what an address names: the longest name at its beginning that has such a path. */
async function readAddress(visit: Visit, at: AskedFiles, segments: readonly string[]) {
  const found = await readFilesPage(visit, at);
  if (found.submodule || (found.shown && !found.meaning?.is_beginning)) return { at, found };
  const split = await (found.shown ? splitAtLongest : splitAtName)(visit, at.repoid, segments);
  const longer = split && (await readFilesPage(visit, { ...at, ...split }));
  return split && longer && (longer.shown || !found.shown) ? { at: split, found: longer } : { at, found };
}

/** Redirects to the revision chosen in the form, which becomes a segment of the path. */
function redirectToRevision(location: FileLocation, query: URLSearchParams): Response {
  return seeOther(`${fileAddress('files', location)}${query.has('plain') ? '?plain=1' : ''}`);
}

/** The page of a directory or file of a repository at a revision. */
export const filesPage: RepositoryPage = {
  pageName: 'FilesController:index',
  async get(visit: Visit, address: PageAddress) {
    const { repoid, rest } = address;
    const [named, ...segments] = rest;
    const path = segments.join('/');
    const chosen = visit.query.get('at')?.trim();
    const head = chosen || named === undefined ? await readContentHead(visit, address) : null;
    if (head && chosen) {
      return redirectToRevision({ repository: head.repo_name, revision: chosen, path }, visit.query);
    }
    const revision = named ?? (head ? landingRevision(head) : 'tip');
    const { at, found } = await readAddress(visit, { repoid, revision, path }, rest);
    const { repository, shown, meaning } = found;
    const typed = { type: repository.repo_type, revision: at.revision, meaning };
    const linked = shown ? linkedRevision({ ...typed, rawId: shown.changeset.raw_id }) : at.revision;
    const location = { repository: repository.repo_name, revision: linked, path: at.path };
    return showRepositoryPage(visit, address, {
      title: shownText(location.path) || 'Files',
      tab: 'files',
      repository,
      children: await content(visit, at.revision, location, found),
    });
  },
};
