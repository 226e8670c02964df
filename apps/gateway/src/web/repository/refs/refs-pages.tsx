import type { RefRecord, ResultOfMethod, Served } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { shownText } from '../../render/shown-text.ts';
import { FilterForm, filterQuery, listQuery, Pager } from '../../layout/list-controls.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import type { PageName } from '../../identify.ts';
import { readContentHead, type RepositoryHead } from '../repository-head.ts';
import { withoutRest, type RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';

interface RowProps {
  readonly base: string;
  readonly refName: RefRecord;
}

function Row({ base, refName: { kind, name, raw_id: rawId, closed } }: RowProps) {
  const about = <span class="visually-hidden"> of {shownText(name)}</span>;
  return (
    <tr>
      <th scope="row" class="name">
        {shownText(name)} {closed && <span class="badge">closed</span>}
      </th>
      <td>
        <a class="mono" href={`${base}/changeset/${rawId}`}>
          {rawId.slice(0, 12)}
        </a>
      </td>
      <td>
        <span class="meta">
          <a href={`${base}/files/${rawId}`}>Files{about}</a>
          {kind === 'branch' && (
            <a href={`${base}/changelog?${new URLSearchParams({ branch: name }).toString()}`}>Changelog{about}</a>
          )}
        </span>
      </td>
    </tr>
  );
}

/** Renders references with the changesets that they name. */
function RefsList({ repository, refs }: { repository: string; refs: readonly RefRecord[] }) {
  const base = pathTo(repository);
  return (
    <div class="scroll">
      <table class="ref-list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Changeset</th>
            <th scope="col">There</th>
          </tr>
        </thead>
        <tbody>
          {refs.map((refName) => (
            <Row base={base} refName={refName} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

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

function refsPage(pageName: PageName, listed: Listed): RepositoryPage {
  return withoutRest({
    pageName,
    async get(visit, address) {
      // Called first: it refuses a hidden repository with the error of a path that names none.
      const repository = await readContentHead(visit, address);
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
