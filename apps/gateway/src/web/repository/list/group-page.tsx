import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { FilterForm } from '../../form/filter-form.tsx';
import { pathTo } from '../../http/path-segments.ts';
import { RepositoryName } from '../../layout/page.tsx';
import { shownLines } from '../../render/text/shown-text.ts';
import { NothingListed } from './nothing-listed.tsx';
import { Pager } from './pager.tsx';
import { nameWithin, RepositoryList } from './repository-list.tsx';

type Found = ResultOfMethod<Served['browse_repositories']>;

interface Props {
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
export function GroupPage({ found, path, filter, cursor, mayCreate }: Props) {
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
