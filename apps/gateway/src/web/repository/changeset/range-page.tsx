import { encodeName } from '@trunkline/runtime/text';
import type { HistoryRecord } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { pathTo } from '../../http/path-segments.ts';
import { cutText, shownText } from '../../render/shown-text.ts';
import { messageParts } from '../../render/changeset-text.ts';
import type { Visit } from '../../visit.ts';
import { NameNote, readMeaning } from '../typed-revision.tsx';
import type { RepositoryHead } from '../repository-head.ts';
import { DiffOptionLinks, diffOptionsOf, diffQuery, diffUrls, type DiffOptions } from './diff-urls.tsx';
import { renderPanels } from './diff-file-panel.tsx';
import { differencesMax, perPage, readDifferences, readRange, type ChangesetRange } from './read-range.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { ChangelogList } from '../changelog/changelog-list.tsx';
import { Pager } from '../../layout/list-controls.tsx';
import { readRefsOf } from '../refs/changeset-refs.tsx';
import type { PageAddress } from '../repository-page.ts';

const aboutCharsMax = 300;

interface DifferenceProps {
  readonly name: string;
  readonly changeset: HistoryRecord;
  readonly panels: readonly Child[];
  readonly isCut: boolean;
}

function headingIdOf({ short_id: short }: HistoryRecord): string {
  return `changeset-${short}`;
}

/** Renders the diff of one changeset of the range. */
function Difference({ name, changeset, panels, isCut }: DifferenceProps) {
  const { raw_id: id, short_id: short, message } = changeset;
  const href = pathTo(name, 'changeset', id);
  return (
    <section aria-labelledby={headingIdOf(changeset)}>
      <h2 id={headingIdOf(changeset)}>
        <a class="mono" href={href}>
          {short}
        </a>{' '}
        {shownText(cutText(messageParts(message).about, aboutCharsMax))}
      </h2>
      {panels.length === 0 && <p class="soft">No files changed.</p>}
      {panels}
      {isCut && (
        <p class="warning">
          This changeset is too large to be shown in full here. See <a href={href}>its own page</a>.
        </p>
      )}
    </section>
  );
}

/** Renders the diff of each changeset; the files are numbered across all of the diffs. */
async function renderDifferences(
  visit: Visit,
  { repo_id: repoid, repo_name: name }: RepositoryHead,
  found: readonly HistoryRecord[],
  options: DiffOptions,
) {
  const ids = found.map(({ raw_id: id }) => id);
  const diffs = await readDifferences(visit, repoid, ids, options);
  const shown: Child[] = [];
  let firstNumber = 1;
  for (const [index, changeset] of found.entries()) {
    const diff = diffs[index];
    if (!diff) continue;
    const urls = diffUrls(name, changeset.raw_id, options);
    const panels = await renderPanels({
      repository: name,
      changesetId: changeset.raw_id,
      parentId: changeset.parents[0],
      diff,
      urls,
      renderer: visit.renderer,
      firstNumber,
      headingId: headingIdOf(changeset),
    });
    firstNumber += panels.length;
    shown.push(
      <Difference
        name={name}
        changeset={changeset}
        panels={panels}
        isCut={diff.truncated || panels.length < diff.files.length}
      />,
    );
  }
  return shown;
}

const nameCharsMax = 80;

interface Props {
  readonly name: string;
  readonly range: ChangesetRange;
}

function RangeEnd({ name, revision, absent }: { name: string; revision: string; absent: string }) {
  if (revision === '') return <>{absent}</>;
  const path = `${pathTo(name, 'changeset')}/${encodeName(revision)}`;
  return <a href={path}>{shownText(cutText(revision, nameCharsMax))}</a>;
}

function RangeHeading({ name, range: { from, to } }: Props) {
  return (
    <h2>
      Changesets from <RangeEnd name={name} revision={from} absent="the oldest" /> to{' '}
      <RangeEnd name={name} revision={to} absent="the newest" />
    </h2>
  );
}

/** Renders, for each end that could mean several changesets, which one it means. */
async function rangeNotes(visit: Visit, repository: RepositoryHead, range: ChangesetRange) {
  const { repo_id: repoid, repo_name: name } = repository;
  const hrefOf = (ends: ChangesetRange) => diffUrls(name, `${ends.from}...${ends.to}`, { ignorews: false }).path;
  const noteOf = async (end: 'from' | 'to') => (
    <NameNote
      repository={repository}
      revision={range[end]}
      meaning={range[end] === '' ? undefined : await readMeaning(visit, repoid, range[end])}
      hrefOf={(other) => hrefOf({ ...range, [end]: other })}
    />
  );
  return Promise.all([noteOf('from'), noteOf('to')]);
}

/** Renders the changesets from one on, or up to one: as a list and, for at most `differencesMax`, with their diffs. */
export async function showRange(
  visit: Visit,
  address: PageAddress,
  repository: RepositoryHead,
  range: ChangesetRange,
): Promise<Response> {
  const { repo_name: name, repo_id: repoid } = repository;
  const options = { ...diffOptionsOf(visit.query), only: undefined, parent: undefined };
  const urls = diffUrls(name, `${range.from}...${range.to}`, options);
  const [found, notes] = await Promise.all([readRange(visit, repository, range), rangeNotes(visit, repository, range)]);
  const cursor = visit.query.get('cursor') || null;
  const changesets = found.slice(0, perPage);
  const isShort = cursor === null && found.length <= differencesMax;
  const ids = changesets.map(({ raw_id: id }) => id);
  const refs = await readRefsOf(visit, repoid, ids);
  const next = found.length > perPage ? (ids.at(-1) ?? null) : null;
  return showRepositoryPage(visit, address, {
    title: shownText(cutText(`${range.from}...${range.to}`, nameCharsMax)),
    tab: 'changelog',
    repository,
    children: (
      <>
        <RangeHeading name={name} range={range} />
        {notes}
        <p class="soft">
          All changesets of this range, including the first and the last, in the order of the{' '}
          <a href={pathTo(name, 'changelog')}>changelog</a>.{' '}
          {isShort
            ? 'Each changeset is compared with its first parent.'
            : `The range has more than ${differencesMax} changesets, so each diff is shown on the page of its changeset.`}
        </p>
        {changesets.length > 0 && <ChangelogList repository={name} changesets={changesets} refs={refs} />}
        <Pager cursor={cursor} next={next} path={urls.path} query={diffQuery(options)} />
        {isShort && changesets.length > 0 && (
          <p class="meta diff-links">
            <DiffOptionLinks urls={urls} />
          </p>
        )}
        {isShort && (await renderDifferences(visit, repository, changesets, options))}
      </>
    ),
  });
}
