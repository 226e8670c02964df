import type { ListedUserGroup } from '@trunkline/contracts';
import { FilterForm } from '../../form/filter-form.tsx';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import type { PageRoute } from '../../page-route.ts';
import { shownLines } from '../../render/text/shown-text.ts';
import { Pager } from '../../repository/list/pager.tsx';
import { filterQuery, listQuery } from '../list-query.ts';
import { userGroupPath, userGroupsView } from './user-group-scope.ts';

function GroupRow({ group }: { group: ListedUserGroup }) {
  const { users_group_id: id, group_name: name, description, active, owner, members } = group;
  return (
    <li>
      <div class="title">
        <a href={userGroupPath(id)}>{name}</a>
        {!active && <span class="badge warn">inactive</span>}
      </div>
      {description !== '' && <p>{shownLines(description)}</p>}
      <p class="meta">
        <span>
          {members} {members === 1 ? 'member' : 'members'}
        </span>
        <span>owned by {owner}</span>
      </p>
    </li>
  );
}

/** The page that lists user groups. */
export const userGroupsPage: PageRoute = {
  view: userGroupsView,
  audience: 'administrators',
  async get(visit) {
    const { filter, cursor } = listQuery(visit);
    const { groups, next } = await visit.worker.call('browse_user_groups', { filter, cursor });
    const path = adminPath('user_groups');
    return showAdminPage(visit, {
      section: 'user_groups',
      action: (
        <a class="button" href="/_admin/user_groups/new">
          New user group
        </a>
      ),
      children: (
        <>
          <FilterForm label="Name contains" path={path} filter={filter} />
          {groups.length === 0 && <p class="soft">No user groups found.</p>}
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
