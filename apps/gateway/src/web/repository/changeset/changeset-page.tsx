import { NotFoundError, type HistoryRecord } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import type { Diff } from '../../render/diff/diff-file.ts';
import { changedFiles, FileList } from './file-list.tsx';
import { diffArgsOf, DiffLinks, diffUrls, revisionOf, type DiffUrls } from './diff-urls.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { cutText, shownText } from '../../render/shown-text.ts';
import { messageParts } from '../../render/changeset-text.ts';
import type { Visit } from '../../visit.ts';
import { NameNote, readMeaning } from '../typed-revision.tsx';
import { readContentHead, type RepositoryHead } from '../repository-head.ts';
import { RepositoryPageError } from '../repository-page-error.ts';
import { readRefsOf } from '../refs/changeset-refs.tsx';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { ChangesetFacts, ChangesetHead } from './changeset-facts.tsx';
import { showComparison } from '../compare/comparison.tsx';
import { parseRange } from './read-range.ts';
import { renderPanels } from './diff-file-panel.tsx';
import { showRange } from './range-page.tsx';
import { readDiff, shownDiff } from './read-diff.ts';

interface Props {
  readonly changeset: HistoryRecord;
  readonly diff: Diff;
  readonly urls: DiffUrls;
  /** The rendered panels of the diff's files. */
  readonly panels: readonly Child[];
}

/** Renders the files of a changeset with their diffs. */
function ChangesetDiff({ changeset, diff, urls, panels }: Props) {
  const { parents } = changeset;
  const rawUrl = urls.urlOf('changeset-diff');
  return (
    <>
      <FileList files={changedFiles(changeset, diff)} isWhole={!diff.truncated} />
      {parents.length > 1 && <p class="soft">This is a merge. The diff compares it with its first parent.</p>}
      <DiffLinks urls={urls} />
      {panels}
      {diff.truncated && (
        <p class="warning">
          This changeset is too large to be shown in full. The rest of the diff is left out. See the{' '}
          <a href={rawUrl}>whole diff</a>.
        </p>
      )}
    </>
  );
}

const titleCharsMax = 80;

async function readChangeset(visit: Visit, address: PageAddress) {
  const { repoid, revision, ...options } = diffArgsOf(visit, address);
  const { head, body } = await visit.worker.open('download_diff', { repoid, revision, ...options, ...shownDiff });
  // The revision may be a branch that moves meanwhile, so the changeset is read by the id in the diff's head.
  const [diff, changeset, refs] = await Promise.all([
    readDiff(body),
    visit.worker.call('get_changeset', { repoid, revision: head.rawId, with_file_list: true }),
    readRefsOf(visit, repoid, [head.rawId]),
  ]);
  return { changeset, refs: refs.get(head.rawId), diff, options };
}

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
  return { ...found, note };
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
    const { changeset, refs, diff, options, note } = await read(visit, address, repository, revision);
    const name = repository.repo_name;
    const about = shownText(cutText(messageParts(changeset.message).about, titleCharsMax));
    const urls = diffUrls(name, changeset.raw_id, options);
    const panels = await renderPanels({ repository: name, changesetId: changeset.raw_id, diff, urls });
    return showRepositoryPage(visit, address, {
      title: `${changeset.short_id}: ${about}`,
      tab: 'changelog',
      repository,
      children: (
        <>
          <ChangesetHead changeset={changeset} />
          {note}
          <ChangesetFacts repository={name} changeset={changeset} refs={refs} />
          <ChangesetDiff changeset={changeset} diff={diff} urls={urls} panels={panels} />
        </>
      ),
    });
  },
};
