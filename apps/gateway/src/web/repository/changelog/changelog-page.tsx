import type { HistoryRecord, ResultOfMethod, Served } from '@trunkline/contracts';
import { cutText, shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { compareAddress } from '../compare/compare-form.tsx';
import { isAddressable } from '../files/file-address.ts';
import { fullName, linkedName } from '../full-name.ts';
import { readContentHead, type RepositoryHead } from '../repository-head.ts';
import { Pager } from '../../layout/list-controls.tsx';
import { readRefsOf, type ChangesetRefs } from '../refs/changeset-refs.tsx';
import { showPathHistory } from '../history/history-page.tsx';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';
import { ChangelogList } from './changelog-list.tsx';

const offeredMax = 200;
const nameCharsMax = 80;
/** The limit of the argument `branch_name`. */
const branchCharsMax = 250;

/** The first branches of a repository, and the chosen one when there is such a branch. */
type Branches = ResultOfMethod<Served['list_refs']>;

function readBranches({ worker }: Visit, repoid: string | number, branch: string): Promise<Branches> {
  return worker.call('list_refs', { repoid, kind: 'branch', limit: offeredMax, named: branch || null });
}

interface Props {
  readonly path: string;
  readonly branches: Branches;
  readonly branch: string;
  /** The default branch as `branchOf` names it; '' for none. */
  readonly byDefault: string;
}

/** Renders the form that chooses the branch whose changesets are listed; '' is every branch. */
function BranchForm({ path, branches: { refs, next }, branch, byDefault }: Props) {
  const isOffered = branch === '' || refs.some(({ name }) => name === branch);
  const mark = (name: string) => (name === byDefault ? ' (default)' : '');
  return (
    <form method="get" action={path} class="inline">
      <label>
        Branch
        <select name="branch">
          <option value="">All branches</option>
          {!isOffered && (
            <option value={branch} selected>
              {shownText(cutText(branch, nameCharsMax))}
              {mark(branch)}
            </option>
          )}
          {refs.map(({ name, closed }) => (
            <option value={name} selected={name === branch}>
              {shownText(cutText(name, nameCharsMax))}
              {closed && ' (closed)'}
              {mark(name)}
            </option>
          ))}
        </select>
      </label>
      {next !== null && (
        <label>
          Other branch
          <input name="named" type="search" maxlength={255} autocomplete="off" />
        </label>
      )}
      <button class="plain">Show</button>
      {branch !== '' && <a href={`${path}?branch=`}>Show all</a>}
    </form>
  );
}

const perPage = 50;

interface Asked {
  /** '' for every branch. */
  readonly branch: string;
  /** The default branch as `branchOf` names it; '' for none. */
  readonly byDefault: string;
  readonly cursor: string | null;
}

/** Returns what `get_changesets` takes for a branch, or for what a bookmark reaches; '' for none and for an unfit name. */
function branchOf({ default_ref: ref }: RepositoryHead): string {
  if (!ref || ref.name.length > branchCharsMax || !isAddressable(ref.name)) return '';
  return ref.kind === 'bookmark' ? fullName('hg', ref) : ref.name;
}

interface Found {
  readonly branches: Branches;
  readonly isKnown: boolean;
  readonly changesets: readonly HistoryRecord[];
  readonly next: string | null;
  readonly refs: ReadonlyMap<string, ChangesetRefs>;
}

async function find(visit: Visit, { repoid }: PageAddress, { branch, byDefault, cursor }: Asked): Promise<Found> {
  const branches = await readBranches(visit, repoid, branch);
  const isKnown = branch === '' || branch === byDefault || branches.named !== null;
  if (!isKnown) return { branches, isKnown, changesets: [], next: null, refs: new Map() };
  const read = await visit.worker.call('get_changesets', {
    repoid,
    reverse: true,
    limit: perPage + 1,
    ...(branch === '' ? {} : { branch_name: branch }),
    ...(cursor === null ? {} : { cursor }),
  });
  const changesets = read.slice(0, perPage);
  const ids = changesets.map(({ raw_id: id }) => id);
  const next = read.length > perPage ? (ids.at(-1) ?? null) : null;
  return { branches, isKnown, changesets, next, refs: await readRefsOf(visit, repoid, ids) };
}

/** Links from a branch to its comparison with the default one. */
function ComparisonLink({ repository, chosen }: { repository: RepositoryHead; chosen: Branches['named'] }) {
  const { repo_name: name, repo_type: type, default_ref: ref } = repository;
  if (!ref || !chosen || chosen.raw_id === ref.raw_id) return null;
  const compared = { from: linkedName(type, ref), to: linkedName(type, chosen), other: null };
  return (
    <p>
      <a href={compareAddress(name, compared)}>Compare with {shownText(cutText(ref.name, nameCharsMax))}</a>
    </p>
  );
}

function Changelog({ repository, asked, found }: { repository: RepositoryHead; asked: Asked; found: Found }) {
  const { repo_name: name } = repository;
  const { branch, byDefault, cursor } = asked;
  const { branches, isKnown, changesets, next, refs } = found;
  const path = pathTo(name, 'changelog');
  return (
    <>
      <h2>Changelog</h2>
      <BranchForm path={path} branches={branches} branch={branch} byDefault={byDefault} />
      <ComparisonLink repository={repository} chosen={branches.named} />
      {changesets.length > 0 && <ChangelogList repository={name} changesets={changesets} refs={refs} />}
      {!isKnown && <p>There is no branch “{shownText(branch)}”.</p>}
      {isKnown && changesets.length === 0 && <p>There are no more changesets.</p>}
      <Pager cursor={cursor} next={next} path={path} query={{ branch }} />
    </>
  );
}

export const changelogPage: RepositoryPage = {
  pageName: 'ChangelogController:index',
  async get(visit, address) {
    if (address.rest.length > 0) return showPathHistory(visit, address);
    // Called first: it refuses a hidden repository with the error of a path that names none.
    const repository = await readContentHead(visit, address);
    const byDefault = branchOf(repository);
    const asked = {
      branch: visit.query.get('named')?.trim() || (visit.query.get('branch') ?? byDefault),
      byDefault,
      cursor: visit.query.get('cursor'),
    };
    const found = await find(visit, address, asked);
    const isEmpty = repository.last_changeset === null && found.changesets.length === 0;
    return showRepositoryPage(visit, address, {
      title: 'Changelog',
      tab: 'changelog',
      status: isEmpty || found.isKnown ? 200 : 404,
      repository,
      children: isEmpty ? (
        <EmptyRepository visit={visit} repository={repository} />
      ) : (
        <Changelog repository={repository} asked={asked} found={found} />
      ),
    });
  },
};
