import type { RefRecord, ResultOfMethod, Served } from '@trunkline/contracts';
import { filterQuery, listQuery } from '../../admin/list-query.ts';
import { FilterForm } from '../../form/filter-form.tsx';
import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import type { PageName } from '../../visitor/page-names.ts';
import { readHead, type RepositoryHead } from '../head/repository-head.ts';
import { Pager } from '../list/pager.tsx';
import type { RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';
import { withoutRest } from '../without-rest.ts';
import { RefsList } from './refs-list.tsx';

type Found = ResultOfMethod<Served['list_refs']>;

interface Listed {
  readonly kind: RefRecord['kind'];
  readonly tab: 'branches' | 'tags' | 'bookmarks';
  readonly title: string;
}

interface Props extends Listed {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  readonly found: Found;
  readonly filter: string | null;
  readonly cursor: string | null;
}

function RefsPage({ visit, tab, title, repository, found, filter, cursor }: Props) {
  const { refs, next, total } = found;
  if (total === 0 && repository.last_changeset === null)
    return <EmptyRepository visit={visit} repository={repository} />;
  const path = pathTo(repository.repo_name, tab);
  return (
    <>
      <h2>{title}</h2>
      {total > 0 && <FilterForm label="Name contains" path={path} filter={filter} />}
      {refs.length > 0 && <RefsList repository={repository.repo_name} refs={refs} />}
      {refs.length === 0 && <p>{total === 0 ? `There are no ${tab} yet.` : `No ${tab} found.`}</p>}
      <Pager cursor={cursor} next={next} path={path} query={filterQuery(filter)} />
    </>
  );
}

function refsPage(view: PageName, listed: Listed): RepositoryPage {
  return withoutRest({
    view,
    async get(visit, address) {
      // Called first: `view_repository` refuses a hidden repository with the error of a path that names none.
      const repository = await readHead(visit, address);
      const query = listQuery(visit);
      const found = await visit.worker.call('list_refs', { repoid: address.repoid, kind: listed.kind, ...query });
      return showRepositoryPage(visit, address, {
        ...listed,
        repository,
        children: <RefsPage visit={visit} {...listed} {...query} repository={repository} found={found} />,
      });
    },
  });
}

export const branchesPage = refsPage('BranchesController:index', {
  kind: 'branch',
  tab: 'branches',
  title: 'Branches',
});
export const tagsPage = refsPage('TagsController:index', { kind: 'tag', tab: 'tags', title: 'Tags' });
export const bookmarksPage = refsPage('BookmarksController:index', {
  kind: 'bookmark',
  tab: 'bookmarks',
  title: 'Bookmarks',
});
