import { NotFoundError } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { readBinarySizes } from './binary-sizes.ts';
import { changedFiles, FileList, filesOf, NotShownFiles, type ChangedFile } from './file-list.tsx';
import { DiffLinks, diffUrls, ownDiffOf, revisionOf, type DiffUrls } from './diff-urls.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { cutText, shownText } from '../../render/shown-text.ts';
import { messageParts } from '../../render/changeset-text.ts';
import type { Visit } from '../../visit.ts';
import { NameNote, readMeaning } from '../typed-revision.tsx';
import { readContentHead, type RepositoryHead } from '../repository-head.ts';
import { RepositoryPageError } from '../repository-page-error.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { ChangesetFacts, ChangesetHead, Neighbours } from './changeset-facts.tsx';
import { showComparison } from '../compare/comparison.tsx';
import { parseRange } from './read-range.ts';
import { renderPanels } from './diff-file-panel.tsx';
import { showRange } from './range-page.tsx';
import { readChangeset, type FoundChangeset } from './read-changeset.ts';

interface Props {
  readonly found: FoundChangeset;
  readonly files: readonly ChangedFile[];
  readonly urls: DiffUrls;
  /** The rendered panels of the diff's files. */
  readonly panels: readonly Child[];
}

const ordinals = ['first', 'second', 'third'] as const;

/** Says with which parent the diff of a merge compares it, with links to the diffs against the others. */
function MergeNote({ found: { shown, parent, options }, urls }: Pick<Props, 'found' | 'urls'>) {
  const { parents } = shown.changeset;
  if (parents.length < 2) return <></>;
  const nameOf = (number: number) => ordinals[number - 1] ?? `${number}th`;
  const others = parents.map((_, index) => index + 1).filter((number) => number !== parent);
  // A worker of 0.1 compares with the first parent, whatever is asked.
  const isOther = options.parent !== undefined && Number(options.parent) !== parent;
  return (
    <>
      {isOther && <p class="warning">The service is being upgraded. Try other parents again in a moment.</p>}
      <p class="soft">
        This is a merge. The diff compares it with its {nameOf(parent)} parent. Compare with the{' '}
        {others.slice(0, ordinals.length).map((number, index) => (
          <>
            {index > 0 && ', '}
            <a href={urls.urlOf('changeset', { parent: number === 1 ? undefined : String(number) })}>
              {nameOf(number)} parent
            </a>
          </>
        ))}
        .
      </p>
    </>
  );
}

/** Renders the files of a changeset with their diffs. */
function ChangesetDiff({ found, isWhole, files, urls, panels }: Props & { isWhole: boolean }) {
  return (
    <>
      <FileList files={files} urls={urls} isWhole={isWhole} />
      <MergeNote found={found} urls={urls} />
      <DiffLinks urls={urls} />
      {panels}
      {!isWhole && (
        <p class="warning">
          This changeset is too large to be shown in full. The rest of the diff is left out. See the{' '}
          <a href={urls.urlOf('changeset-diff')}>whole diff</a>.
        </p>
      )}
      <NotShownFiles files={files} urls={urls} />
    </>
  );
}

/** Renders the diff of one file alone, with links to the files before and after it in the changeset. */
function OnlyFileDiff({ files, urls, panels }: Omit<Props, 'found'>) {
  const path = urls.options.only?.path;
  const at = files.findIndex((file) => file.path === path);
  const [before, after] = at === -1 ? [] : [files[at - 1], files[at + 1]];
  const hrefOf = (file: ChangedFile) => ownDiffOf(urls, { newPath: file.path, oldPath: null });
  return (
    <>
      <h2>One file of this changeset</h2>
      <nav class="neighbours" aria-label="Files of the changeset">
        <a href={urls.urlOf('changeset', { only: undefined })}>All files</a>
        {before && <a href={hrefOf(before)}>← {shownText(before.path)}</a>}
        {after && <a href={hrefOf(after)}>{shownText(after.path)} →</a>}
      </nav>
      <DiffLinks urls={urls} />
      {panels.length === 0 && <p>This changeset has no change of {shownText(path ?? '')}.</p>}
      {panels}
    </>
  );
}

const titleCharsMax = 80;

/** Reads a changeset, and says of a revision that could mean several which one it is. */
async function read(visit: Visit, address: PageAddress, repository: RepositoryHead, revision: string) {
  const notFound = (error: unknown) => {
    if (error instanceof NotFoundError) return error;
    throw error;
  };
  const [found, meaning] = await Promise.all([
    readChangeset(visit, address).catch(notFound),
    readMeaning(visit, address.repoid, revision),
  ]);
  const hrefOf = (other: string) => diffUrls(repository.repo_name, other, { ignorews: false }).path;
  const note = <NameNote repository={repository} revision={revision} meaning={meaning} hrefOf={hrefOf} />;
  if (found instanceof NotFoundError) throw new RepositoryPageError(visit, repository, found, note);
  return { found, note };
}

/** Returns the title of the page: the file that is shown alone, and the first line of the message. */
function titleOf({ shown, options }: FoundChangeset): string {
  const { short_id: short, message } = shown.changeset;
  const about = shownText(cutText(messageParts(message).about, titleCharsMax));
  const only = options.only ? `${shownText(cutText(options.only.path, titleCharsMax))} · ` : '';
  return `${only}${short}: ${about}`;
}

export const changesetPage: RepositoryPage = {
  pageName: 'ChangesetController:index',
  async get(visit, address) {
    // Called first: it refuses a hidden repository with the error of a path that names none.
    const repository = await readContentHead(visit, address);
    const revision = revisionOf(address);
    const range = parseRange(revision);
    if (range?.from && range.to) return showComparison(visit, address, repository, range);
    if (range) return showRange(visit, address, repository, range);
    const { found, note } = await read(visit, address, repository, revision);
    const { shown, refs, diff, parent, options } = found;
    const { changeset } = shown;
    const { repo_name: name } = repository;
    const urls = diffUrls(name, changeset.raw_id, options);
    const parentId = changeset.parents[parent - 1] ?? null;
    const sizes = await readBinarySizes(visit, address.repoid, diff, { before: parentId, after: changeset.raw_id });
    const ends = { repository: name, changesetId: changeset.raw_id, parentId };
    const panels = await renderPanels({ ...ends, diff, urls, renderer: visit.renderer, sizes });
    const isWhole = !diff.truncated && panels.length === diff.files.length;
    const ofPage = { files: diff.files.slice(0, panels.length), truncated: diff.truncated };
    // The list of all files is that against the first parent.
    const files = parent === 1 ? changedFiles(changeset, ofPage) : filesOf(ofPage);
    return showRepositoryPage(visit, address, {
      title: titleOf(found),
      tab: 'changelog',
      status: options.only && panels.length === 0 ? 404 : 200,
      repository,
      children: (
        <>
          <Neighbours repository={name} shown={shown} />
          <ChangesetHead message={changeset.message} />
          {note}
          <ChangesetFacts repository={name} shown={shown} refs={refs} />
          {options.only ? (
            <OnlyFileDiff files={files} urls={urls} panels={panels} />
          ) : (
            <ChangesetDiff found={found} isWhole={isWhole} files={files} urls={urls} panels={panels} />
          )}
        </>
      ),
    });
  },
};
