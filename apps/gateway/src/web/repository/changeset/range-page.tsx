import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { cutText } from '../../render/text/cut-text.ts';
import { shownText } from '../../render/text/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { ChangelogList } from '../changelog/changelog-list.tsx';
import type { RepositoryHead } from '../head/repository-head.ts';
import { diffArgsOf } from '../content/diff-args.ts';
import { Pager } from '../list/pager.tsx';
import { readRefsOf } from '../refs/changeset-refs.ts';
import type { PageAddress } from '../repository-page.ts';
import type { ChangesetRange } from './changeset-range.ts';
import { DiffOptionLinks } from './diff-links.tsx';
import { diffQuery, diffUrls, type DiffOptions } from './diff-urls.ts';
import { renderDifferences } from './range-differences.tsx';
import { differencesMax, perPage, readRange } from './read-range.ts';

const nameCharsMax = 80;

interface Props {
  readonly name: string;
  readonly range: ChangesetRange;
}

function RangeEnd({ name, revision, absent }: { name: string; revision: string; absent: string }) {
  if (revision === '') return <>{absent}</>;
  const path = `${pathTo(name, 'changeset')}/${encodeURIComponent(revision)}`;
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

function NoChangesets({ name, range: { from, to }, options }: Props & { options: DiffOptions }) {
  return (
    <p>
      There are no changesets in this range: the first is newer than the last.{' '}
      <a href={diffUrls(name, `${to}...${from}`, options).urlOf('changeset')}>Swap them</a> or see the{' '}
      <a href={pathTo(name, 'changelog')}>changelog</a>.
    </p>
  );
}

/** Renders the changesets between two, both included: as a list and, for at most `differencesMax`, with their diffs. */
export async function showRange(
  visit: Visit,
  address: PageAddress,
  repository: RepositoryHead,
  range: ChangesetRange,
): Promise<Response> {
  const { repo_name: name, repo_id: repoid } = repository;
  const { repoid: _id, revision: _last, ...options } = diffArgsOf(visit, address);
  const urls = diffUrls(name, `${range.from}...${range.to}`, options);
  const found = await readRange(visit, repository, range);
  const cursor = visit.query.get('cursor') || null;
  const changesets = found.slice(0, perPage);
  const isShort = cursor === null && found.length <= differencesMax;
  const ids = changesets.map(({ raw_id: id }) => id);
  const refs = await readRefsOf(visit, repoid, ids);
  const next = found.length > perPage ? (ids.at(-1) ?? null) : null;
  const isNone = found.length === 0 && cursor === null;
  return showRepositoryPage(visit, address, {
    title: shownText(cutText(`${range.from}...${range.to}`, nameCharsMax)),
    tab: 'changelog',
    status: isNone ? 404 : 200,
    repository,
    children: (
      <>
        <RangeHeading name={name} range={range} />
        {isNone && <NoChangesets name={name} range={range} options={options} />}
        {!isNone && (
          <p class="soft">
            All changesets of this range, including the first and the last, in the order of the{' '}
            <a href={pathTo(name, 'changelog')}>changelog</a>.{' '}
            {isShort
              ? 'Each changeset is compared with its first parent.'
              : `The range has more than ${differencesMax} changesets, so each diff is shown on the page of its changeset.`}
          </p>
        )}
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
