import { NotFoundError, OperationFailedError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { Pager } from '../../layout/list-controls.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { cutText, shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { ChangelogList } from '../changelog/changelog-list.tsx';
import { renderPanels } from '../changeset/diff-file-panel.tsx';
import {
  diffOptionsOf,
  DiffOptionLinks,
  sentOptions,
  diffQuery,
  diffUrls,
  type DiffUrls,
} from '../changeset/diff-urls.tsx';
import { changedFiles, FileList } from '../changeset/file-list.tsx';
import { readDiff, shownDiff } from '../changeset/read-diff.ts';
import type { ChangesetRange } from '../changeset/read-range.ts';
import { readRefsOf } from '../refs/changeset-refs.tsx';
import type { RepositoryHead } from '../repository-head.ts';
import { RepositoryPageError } from '../repository-page-error.ts';
import type { PageAddress } from '../repository-page.ts';
import { NameNote, readMeaning } from '../typed-revision.tsx';
import { compareAddress, CompareForm, readSideChoices, type Compared } from './compare-form.tsx';
import { comparisonArgs, otherRepository } from './compared-sides.ts';

type Comparison = ResultOfMethod<Served['compare_revisions']>;

/** The full name of a reference is not cut: two long ones may begin alike. */
const nameCharsMax = 270;
const perPage = 50;

const shownName = (revision: string) => shownText(cutText(revision, nameCharsMax));
const changesets = (count: number) => `${count} ${count === 1 ? 'changeset' : 'changesets'}`;

interface FactsProps {
  readonly repository: string;
  /** The address of the comparison with its sides swapped. */
  readonly swapped: string;
  readonly compared: Compared;
  readonly found: Comparison;
}

/** Says how the two sides stand to one another. */
function Standing({ repository, swapped, compared, found }: FactsProps) {
  const { ahead, behind, merge_base: base } = found;
  const [from, to] = [<strong>{shownName(compared.from)}</strong>, <strong>{shownName(compared.to)}</strong>];
  if (ahead === 0 && behind === 0) return <p>There is nothing to compare: both sides are the same changeset.</p>;
  return (
    <>
      <p>
        {ahead === 0 && (
          <>
            {to} has nothing that {from} has not. <a href={swapped}>Compare them the other way round</a>.{' '}
          </>
        )}
        {to} is {changesets(ahead)} ahead of {from}, and {changesets(behind)} behind.
      </p>
      <p class="soft">
        {base === null ? (
          'The two have no common ancestor: the difference starts from no files.'
        ) : (
          <>
            The difference starts from the newest common ancestor,{' '}
            <a class="mono" href={pathTo(repository, 'changeset', base)}>
              {base.slice(0, 12)}
            </a>
            .
          </>
        )}
      </p>
    </>
  );
}

/** Reads the difference of the first page; null where there is none, and where it is too large. */
async function readDifference(visit: Visit, address: PageAddress, found: Comparison) {
  if (found.files === null || found.ahead === 0) return null;
  const options = { ...diffOptionsOf(visit.query), parent: undefined };
  // The names may move meanwhile.
  const args = { ...sentOptions(options), ...comparisonArgs(visit, address, found), ...shownDiff };
  const { body } = await visit.worker.open('download_comparison', args);
  return readDiff(body, 1, options.only?.path);
}

interface DifferenceProps {
  readonly found: Comparison;
  readonly diff: NonNullable<Awaited<ReturnType<typeof readDifference>>>;
  readonly target: string;
  readonly urls: DiffUrls;
  readonly renderer: Visit['renderer'];
}

async function difference({ found, diff, target, urls, renderer }: DifferenceProps) {
  const sides = { repository: target, changesetId: found.to, parentId: found.merge_base };
  const panels = await renderPanels({ ...sides, diff, urls, renderer });
  const { only } = urls.options;
  return (
    <>
      {only ? (
        <p>
          <a href={urls.urlOf('changeset', { only: undefined })}>All files</a>
        </p>
      ) : (
        <FileList files={changedFiles(found.files ?? {}, diff)} urls={urls} isWhole={!diff.truncated} />
      )}
      {!only && found.files?.truncated && <p class="soft">Only the first of the files are listed.</p>}
      <p class="meta diff-links">
        <a href={urls.urlOf('changeset-diff')}>Raw diff</a>
        <a href={urls.urlOf('changeset-download')}>Download</a>
        <DiffOptionLinks urls={urls} />
      </p>
      {panels}
      {only && panels.length === 0 && <p>There is no change of {shownText(only.path)} here.</p>}
      {(diff.truncated || panels.length < diff.files.length) && (
        <p class="warning">
          This difference is too large to be shown in full. See the{' '}
          <a href={urls.urlOf('changeset-diff')}>whole diff</a>.
        </p>
      )}
    </>
  );
}

/** Renders, for each side that could mean several changesets, which one it means. */
async function sideNotes(visit: Visit, repository: RepositoryHead, compared: Compared) {
  const { repo_id: repoid, repo_name: name } = repository;
  const noteOf = async (side: 'from' | 'to') => (
    <NameNote
      repository={repository}
      revision={compared[side]}
      meaning={await readMeaning(visit, side === 'to' ? (compared.other ?? repoid) : repoid, compared[side])}
      hrefOf={(revision) => compareAddress(name, { ...compared, [side]: revision })}
    />
  );
  return Promise.all([noteOf('from'), noteOf('to')]);
}

function cursorOf({ query }: Visit): number {
  const cursor = query.get('cursor') ?? '0';
  if (!/^\d{1,9}$/.test(cursor)) throw new NotFoundError('There is no such page');
  return Number(cursor);
}

async function read(visit: Visit, address: PageAddress, repository: RepositoryHead, compared: Compared) {
  const args = { ...comparisonArgs(visit, address, compared), limit: perPage, cursor: cursorOf(visit) };
  const found = await visit.worker.callNew('compare_revisions', args);
  if (!found) {
    const text = 'Two revisions can be compared once the service is upgraded, try again later';
    throw new RepositoryPageError(visit, repository, new OperationFailedError(text));
  }
  const ids = found.changesets.map(({ raw_id: id }) => id);
  const [diff, refs, choices, notes] = await Promise.all([
    readDifference(visit, address, found),
    readRefsOf(visit, compared.other ?? address.repoid, ids),
    readSideChoices(visit, repository, compared.other),
    sideNotes(visit, repository, compared),
  ]);
  return { found, diff, refs, choices, notes };
}

/** Renders what the second of two revisions has and the first has not: changesets, and files with their difference. */
export async function showComparison(
  visit: Visit,
  address: PageAddress,
  repository: RepositoryHead,
  range: ChangesetRange,
): Promise<Response> {
  const { repo_name: name } = repository;
  const compared = { ...range, other: otherRepository(visit) };
  const { found, diff, refs, choices, notes } = await read(visit, address, repository, compared);
  const options = { ...diffOptionsOf(visit.query), parent: undefined };
  const fixed = compared.other === null ? {} : { other_repo: compared.other };
  const urls = diffUrls(name, `${range.from}...${range.to}`, options, { page: 'compare', fixed });
  const target = compared.other ?? name;
  const { from, to, other } = compared;
  const swapped =
    other === null
      ? diffUrls(name, `${to}...${from}`, options, { page: 'compare' }).urlOf('changeset')
      : compareAddress(other, { from: to, to: from, other: name });
  const next = found.next === null ? null : String(found.next);
  return showRepositoryPage(visit, address, {
    title: `${shownName(range.from)}...${shownName(range.to)}`,
    tab: 'changelog',
    repository,
    children: (
      <>
        <h2>Compare</h2>
        <CompareForm repository={name} compared={compared} choices={choices} />
        {notes}
        <Standing repository={target} swapped={swapped} compared={compared} found={found} />
        {found.ahead > 0 && <h2>{changesets(found.ahead)}</h2>}
        {found.changesets.length > 0 && <ChangelogList repository={target} changesets={found.changesets} refs={refs} />}
        <Pager
          cursor={visit.query.get('cursor') || null}
          next={next}
          path={urls.path}
          query={{ ...fixed, ...diffQuery(options) }}
        />
        {diff && (await difference({ found, diff, target, urls, renderer: visit.renderer }))}
        {found.files === null && visit.query.get('cursor') === null && found.ahead > 0 && (
          <p class="warning">Too much differs to be shown.</p>
        )}
      </>
    ),
  });
}
