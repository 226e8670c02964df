import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { FilterForm } from '../../form/filter-form.tsx';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import type { PageRoute } from '../../page-route.ts';
import { shownLines } from '../../render/text/shown-text.ts';
import { Pager } from '../../repository/list/pager.tsx';
import { filterQuery, listQuery } from '../list-query.ts';
import { repoGroupPath, repoGroupsView } from './repo-group-scope.ts';

type Group = ResultOfMethod<Served['browse_repo_groups']>['groups'][number];

function GroupRow({ group: { group_id: id, group_name: name, description, owner } }: { group: Group }) {
  return (
    <li>
      <a href={repoGroupPath(id)}>{name}</a>
      {description !== '' && <p>{shownLines(description)}</p>}
      <p class="meta">
        <span>owned by {owner}</span>
      </p>
    </li>
  );
}

/** The page that lists repository groups. */
export const repoGroupsPage: PageRoute = {
  view: repoGroupsView,
  audience: 'administrators',
  async get(visit) {
    const { filter, cursor } = listQuery(visit);
    const { groups, next } = await visit.worker.call('browse_repo_groups', { filter, cursor });
    const path = adminPath('repo_groups');
    return showAdminPage(visit, {
      section: 'repo_groups',
      action: (
        <a class="button" href="/_admin/repo_groups/new">
          New repository group
        </a>
      ),
      children: (
        <>
          <FilterForm label="Name contains" path={path} filter={filter} />
          {groups.length === 0 && <p class="soft">No repository groups found.</p>}
          <ul class="plain rows">
            {groups.map((group) => (
              <GroupRow group={group} />
            ))}
          </ul>
          <Pager cursor={cursor} next={next} path={path} query={filterQuery(filter)} />
        </>
      ),
    });
  },
};
