import { InvalidArgsError, NotFoundError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { FilterForm, Pager } from '../../layout/list-controls.tsx';
import { pathTo } from '../../http/path-segments.ts';
import { RepositoryName, showPage } from '../../layout/page.tsx';
import { shownLines } from '../../render/shown-text.ts';
import { nameWithin, RepositoryList } from './repository-list.tsx';
import type { PageRoute } from '../../page-route.ts';
import type { Visit } from '../../visit.ts';
import { throwNoRepository } from '../repository-page.ts';

interface NothingListedProps {
  readonly isGroup: boolean;
  readonly filter: string | null;
  readonly cursor: string | null;
  readonly mayCreate: boolean;
}

/** Renders the reason why a list is empty, and what to do about it. */
function NothingListed({ isGroup, filter, cursor, mayCreate }: NothingListedProps) {
  if (filter !== null) return <p>No repositories or groups match “{filter}”.</p>;
  if (cursor !== null) return <p>There are no more repositories.</p>;
  if (isGroup) return <p>This group is empty, or you cannot read the repositories in it.</p>;
  return (
    <div class="panel">
      <div class="body">
        <h2>No repositories that you can read</h2>
        {mayCreate ? (
          <p>
            <a href="/_admin/create_repository">Create a repository</a>, empty or as a copy of a remote repository.
            Programs can use the method <code>create_repo</code> of the <a href="/_admin/api-docs">API</a>.
          </p>
        ) : (
          <p>Ask an administrator to create a repository or to give you access to one.</p>
        )}
      </div>
    </div>
  );
}

type Found = ResultOfMethod<Served['browse_repositories']>;

interface GroupPageProps {
  readonly found: Found;
  readonly path: string;
  readonly filter: string | null;
  readonly cursor: string | null;
  /** Whether the page has a link for creating a repository. */
  readonly mayCreate: boolean;
}

function createPath(group: string | null): string {
  const query = group === null ? '' : `?${new URLSearchParams({ parent_group: group }).toString()}`;
  return `/_admin/create_repository${query}`;
}

function Head({ group, mayCreate }: { group: Found['group']; mayCreate: boolean }) {
  return (
    <header class="repository-head">
      <div class="title">
        <h1>{group ? <RepositoryName name={group.name} /> : 'Repositories'}</h1>
        {group && <span class="badge">group</span>}
        {mayCreate && (
          <p class="actions">
            <a class="button" href={createPath(group?.name ?? null)}>
              New repository
            </a>
          </p>
        )}
      </div>
      {group && group.description !== '' && <p class="soft">{shownLines(group.description)}</p>}
    </header>
  );
}

function GroupList({ group, groups, groups_cut: isCut }: Found) {
  return (
    <section aria-labelledby="groups">
      <h2 id="groups">Groups</h2>
      <ul class="plain rows repository-list">
        {groups.map(({ name, description }) => (
          <li>
            <h3>
              <a href={pathTo(name)}>{nameWithin(group?.name ?? null, name)}/</a>
            </h3>
            {description !== '' && <p class="description">{shownLines(description)}</p>}
          </li>
        ))}
      </ul>
      {isCut && <p class="soft">Not all groups are shown. Filter by name to find others.</p>}
    </section>
  );
}

/** Renders the content of a group, or of the top level. */
function GroupPage({ found, path, filter, cursor, mayCreate }: GroupPageProps) {
  const { group, groups, repositories, next } = found;
  const isEmpty = groups.length === 0 && repositories.length === 0;
  return (
    <>
      <Head group={group} mayCreate={mayCreate} />
      <FilterForm label="Name contains" path={path} filter={filter} />
      {isEmpty && <NothingListed isGroup={group !== null} filter={filter} cursor={cursor} mayCreate={mayCreate} />}
      {groups.length > 0 && <GroupList {...found} />}
      {repositories.length > 0 && (
        <section aria-labelledby="repositories">
          <h2 id="repositories" {...(group || groups.length > 0 ? {} : { class: 'visually-hidden' })}>
            Repositories
          </h2>
          <RepositoryList repositories={repositories} group={group?.name ?? null} />
        </section>
      )}
      <Pager cursor={cursor} next={next} path={path} query={filter === null ? {} : { filter }} />
    </>
  );
}

const activityFeeds = [
  { title: 'Public activity: RSS', href: '/_admin/public_journal/rss', type: 'application/rss+xml' },
  { title: 'Public activity: Atom', href: '/_admin/public_journal/atom', type: 'application/atom+xml' },
];

interface Asked {
  readonly group: string | null;
  readonly filter?: string | null;
  readonly cursor?: string | null;
}

/** Reads the content of a group; null when there is no such group that the visitor may read. */
async function browse(visit: Visit, { group, ...part }: Asked): Promise<Found | null> {
  try {
    return await visit.worker.call('browse_repositories', { group, ...part });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    // A wrong query is an error only for a group that exists, so that the error reveals no hidden repository.
    if (error instanceof InvalidArgsError && group !== null) {
      // With the group alone, the error is about its name, which no group can have.
      const isAlone = Object.keys(part).length === 0;
      if (isAlone || !(await browse(visit, { group }))) return null;
    }
    throw error;
  }
}

/** The page of the repository group at a path, or of the top level. */
export const groupRoute: PageRoute = {
  pageName: 'HomeController:index',
  audience: 'anybody',
  async get(visit) {
    const { segments, query, worker } = visit;
    // An escaped slash within a segment would give a group a second address.
    if (segments.some((segment) => segment.includes('/'))) return throwNoRepository(visit);
    const group = segments.join('/') || null;
    const filter = query.get('filter')?.trim() || null;
    const cursor = query.get('cursor') || null;
    const [found, rights] = await Promise.all([browse(visit, { group, filter, cursor }), worker.call('view_rights')]);
    if (!found) return throwNoRepository(visit);
    return showPage(visit, {
      title: group ?? visit.siteName,
      section: 'repositories',
      feeds: activityFeeds,
      children: (
        <GroupPage
          found={found}
          path={group === null ? '/' : pathTo(group)}
          filter={filter}
          cursor={cursor}
          mayCreate={visit.visitor.session !== null && rights.create_repository}
        />
      ),
    });
  },
};
