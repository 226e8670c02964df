import type { HistoryRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import { shownText } from '../../render/text/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { readHead } from '../head/repository-head.ts';
import { Pager } from '../list/pager.tsx';
import { readRefsOf, type ChangesetRefs } from '../refs/changeset-refs.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';
import { withoutRest } from '../without-rest.ts';
import { BranchForm, readBranches, type Branches } from './branch-form.tsx';
import { ChangelogList } from './changelog-list.tsx';

const perPage = 50;

interface Asked {
  readonly branch: string;
  readonly cursor: string | null;
}

interface Found {
  readonly branches: Branches;
  readonly isKnown: boolean;
  readonly changesets: readonly HistoryRecord[];
  readonly next: string | null;
  readonly refs: ReadonlyMap<string, ChangesetRefs>;
}

async function find(visit: Visit, { repoid }: PageAddress, { branch, cursor }: Asked): Promise<Found> {
  const branches = await readBranches(visit, repoid, branch);
  const isKnown = branch === '' || branches.named !== null;
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

function Changelog({ name, asked, found }: { name: string; asked: Asked; found: Found }) {
  const { branch, cursor } = asked;
  const { branches, isKnown, changesets, next, refs } = found;
  const path = pathTo(name, 'changelog');
  return (
    <>
      <h2>Changelog</h2>
      <BranchForm path={path} branches={branches} branch={branch} />
      {changesets.length > 0 && <ChangelogList repository={name} changesets={changesets} refs={refs} />}
      {!isKnown && <p>There is no branch “{shownText(branch)}”.</p>}
      {isKnown && changesets.length === 0 && <p>There are no more changesets.</p>}
      <Pager cursor={cursor} next={next} path={path} query={branch === '' ? {} : { branch }} />
    </>
  );
}

export const changelogPage: RepositoryPage = withoutRest({
  view: 'ChangelogController:index',
  async get(visit, address) {
    const asked = {
      branch: visit.query.get('named')?.trim() || (visit.query.get('branch') ?? ''),
      cursor: visit.query.get('cursor'),
    };
    // Called first: `view_repository` refuses a hidden repository with the error of a path that names none.
    const repository = await readHead(visit, address);
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
        <Changelog name={repository.repo_name} asked={asked} found={found} />
      ),
    });
  },
});
