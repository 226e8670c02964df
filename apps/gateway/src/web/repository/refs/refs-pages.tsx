import { pathTo } from '../../http/path-segments.ts';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { PageName } from '../../visitor/page-names.ts';
import { readHead, type RepositoryHead } from '../head/repository-head.ts';
import type { RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';
import { withoutRest } from '../without-rest.ts';
import { sortedRefs, type Ref } from './changeset-refs.ts';
import { RefsList } from './refs-list.tsx';

const shownMax = 1_000;

interface Listed {
  readonly kind: Ref['kind'];
  readonly tab: 'branches' | 'tags' | 'bookmarks';
  readonly title: string;
}

interface Props extends Listed {
  readonly repository: RepositoryHead;
  readonly refs: readonly Ref[];
  readonly filter: string;
}

function FilterForm({ path, filter }: { path: string; filter: string }) {
  return (
    <form method="get" action={path} class="inline" role="search">
      <label>
        Name contains
        <input name="filter" type="search" value={filter} maxlength={255} autocomplete="off" />
      </label>
      <button class="plain">Filter</button>
      {filter !== '' && <a href={path}>Show all</a>}
    </form>
  );
}

function RefsPage({ tab, title, repository, refs, filter }: Props) {
  if (refs.length === 0 && repository.last_changeset === null) return <EmptyRepository repository={repository} />;
  const wanted = filter.toLowerCase();
  const found = refs.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      <h2>{title}</h2>
      {refs.length > 0 && <FilterForm path={pathTo(repository.repo_name, tab)} filter={filter} />}
      {found.length > 0 && <RefsList repository={repository.repo_name} refs={found.slice(0, shownMax)} />}
      {found.length === 0 && <p>{refs.length === 0 ? `There are no ${tab} yet.` : `No ${tab} found.`}</p>}
      {found.length > shownMax && (
        <p class="soft">{found.length - shownMax} more are not shown. Filter by name to find them.</p>
      )}
    </>
  );
}

function refsPage(view: PageName, listed: Listed): RepositoryPage {
  return withoutRest({
    view,
    async get(visit, address) {
      // Called first: `view_repository` refuses a hidden repository with the error of a path that names none.
      const repository = await readHead(visit, address);
      const refs = await visit.worker.call('get_repo_refs', { repoid: address.repoid });
      const filter = (visit.query.get('filter') ?? '').trim();
      return showRepositoryPage(visit, address, {
        ...listed,
        repository,
        children: <RefsPage {...listed} repository={repository} refs={sortedRefs(refs, listed.kind)} filter={filter} />,
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
