import type { RefRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { FilterForm, filterQuery, listQuery, Pager } from '../../layout/list-controls.tsx';
import { showRepositoryPage } from '../../layout/repository-frame.tsx';
import type { Visit } from '../../visit.ts';
import type { PageName } from '../../identify.ts';
import { readContentHead, type RepositoryHead } from '../repository-head.ts';
import { withoutRest, type RepositoryPage } from '../repository-page.ts';
import { EmptyRepository } from '../summary/empty-repository.tsx';
import { RefRow, type ListedRef } from './ref-row.tsx';

interface Found {
  readonly refs: readonly ListedRef[];
  readonly next: string | null;
  readonly total: number;
  readonly default_ref?: RefRecord | null;
}

interface Listed {
  readonly kind: RefRecord['kind'];
  readonly tab: 'branches' | 'tags' | 'bookmarks';
  readonly title: string;
}

interface Props extends Listed {
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  readonly found: Found;
  readonly query: Query;
}

type Order = 'newest' | 'name';

interface Query {
  readonly filter: string | null;
  readonly cursor: string | null;
  readonly order: Order;
}

const orders = [
  ['newest', 'Newest first'],
  ['name', 'By name'],
] as const;

/** Returns the query parameter that keeps an order; none for the usual one. */
function orderQuery(order: Order): Readonly<Record<string, string>> {
  return order === 'newest' ? {} : { order };
}

function OrderLinks({ path, filter, order }: Omit<Query, 'cursor'> & { readonly path: string }) {
  return (
    <p class="meta">
      {orders.map(([other, title]) => {
        const search = new URLSearchParams({ ...filterQuery(filter), ...orderQuery(other) }).toString();
        return other === order ? (
          <strong>{title}</strong>
        ) : (
          <a href={search === '' ? path : `${path}?${search}`}>{title}</a>
        );
      })}
    </p>
  );
}

function RefsPage({ visit, tab, title, repository, found, query: { filter, cursor, order } }: Props) {
  const { refs, next, total, default_ref: base } = found;
  if (total === 0 && repository.last_changeset === null)
    return <EmptyRepository visit={visit} repository={repository} />;
  const path = pathTo(repository.repo_name, tab);
  return (
    <>
      <h2>{title}</h2>
      {total > 0 && <FilterForm label="Name contains" path={path} filter={filter} kept={orderQuery(order)} />}
      {base !== undefined && total > 1 && <OrderLinks path={path} filter={filter} order={order} />}
      {refs.length > 0 && (
        <ul class="plain ref-list">
          {refs.map((listed) => (
            <RefRow repository={repository} listed={listed} base={base ?? null} />
          ))}
        </ul>
      )}
      {refs.length === 0 && <p>{total === 0 ? `There are no ${tab} yet.` : `No ${tab} found.`}</p>}
      <Pager cursor={cursor} next={next} path={path} query={{ ...filterQuery(filter), ...orderQuery(order) }} />
    </>
  );
}

/** Returns whether a cursor is one of `browse_refs`. */
const isOfBrowseRefs = (cursor: string | null) => cursor === null || /^\d{1,9}:/.test(cursor);

/** Reads a page of references; from a worker of the former release by name, without what they name. */
export async function readRefs(
  { worker }: Pick<Visit, 'worker'>,
  repoid: number,
  kind: RefRecord['kind'],
  query: Query,
): Promise<Found> {
  const isNew = isOfBrowseRefs(query.cursor);
  const found = isNew ? await worker.callNew('browse_refs', { repoid, kind, ...query }) : null;
  if (found) return found;
  const { filter, cursor } = query;
  return worker.call('list_refs', { repoid, kind, filter, cursor: isNew ? null : cursor });
}

function refsPage(pageName: PageName, listed: Listed): RepositoryPage {
  return withoutRest({
    pageName,
    async get(visit, address) {
      // Called first: it refuses a hidden repository with the error of a path that names none.
      const repository = await readContentHead(visit, address);
      const order = visit.query.get('order') === 'name' ? 'name' : 'newest';
      const query = { ...listQuery(visit), order } as const;
      const found = await readRefs(visit, address.repoid, listed.kind, query);
      return showRepositoryPage(visit, address, {
        ...listed,
        repository,
        children: <RefsPage visit={visit} {...listed} query={query} repository={repository} found={found} />,
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
