import type { ListedUser } from '@trunkline/contracts';
import { FilterForm } from '../../form/filter-form.tsx';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import { When } from '../../layout/when.tsx';
import type { PageRoute } from '../../page-route.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { Pager } from '../../repository/list/pager.tsx';
import { filterQuery, listQuery } from '../list-query.ts';
import { userPath, usersView } from './user-scope.ts';

function UserRow({ user }: { user: ListedUser }) {
  const { user_id: id, username, firstname, lastname, email, active, admin, last_login: lastLogin } = user;
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return (
    <li>
      <div class="title">
        <a href={userPath(id)}>{username}</a>
        {name !== '' && <span>{shownText(name)}</span>}
        {admin && <span class="badge">administrator</span>}
        {!active && <span class="badge warn">inactive</span>}
      </div>
      <p class="meta">
        {email !== null && <span>{shownText(email)}</span>}
        <span>
          {lastLogin === null ? (
            'never signed in'
          ) : (
            <>
              last signed in <When date={lastLogin} />
            </>
          )}
        </span>
      </p>
    </li>
  );
}

/** The page that lists users. */
export const usersPage: PageRoute = {
  view: usersView,
  audience: 'administrators',
  async get(visit) {
    const { filter, cursor } = listQuery(visit);
    const { users, next } = await visit.worker.call('browse_users', { filter, cursor });
    const path = adminPath('users');
    return showAdminPage(visit, {
      section: 'users',
      action: (
        <a class="button" href="/_admin/users/new">
          New user
        </a>
      ),
      children: (
        <>
          <FilterForm label="Name or e-mail address contains" path={path} filter={filter} />
          {users.length === 0 && <p class="soft">No users found.</p>}
          <ul class="plain rows">
            {users.map((user) => (
              <UserRow user={user} />
            ))}
          </ul>
          <Pager cursor={cursor} next={next} path={path} query={filterQuery(filter)} />
        </>
      ),
    });
  },
};
