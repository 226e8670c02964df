import { pathTo } from '../http/path-segments.ts';
import { showAccountPage, type Account } from '../layout/account-frame.tsx';
import { partPath } from '../layout/tabbed-pages.ts';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';
import type { AccountScope } from './account-scope.ts';
import { globalPermissionTexts } from './global-permission-texts.ts';
import { PermissionTable } from './permission-table.tsx';
import { readUser, type AccountUser } from './read-user.ts';

const part = 'perms';

interface Props {
  readonly visit: Visit;
  readonly account: Account;
  readonly user: AccountUser;
}

/** Renders the effective permissions of a user. */
export function PermissionOverview({ visit: { query }, account, user: { admin, permissions } }: Props) {
  const filter = query.get('q')?.trim() ?? '';
  return (
    <>
      {admin && <p class="notice">Administrators have all permissions, regardless of those listed below.</p>}
      <h3>Global permissions</h3>
      <ul>
        {globalPermissionTexts(permissions.global).map(([name, text]) => (
          <li>
            {text} {text !== name && <code class="soft">{name}</code>}
          </li>
        ))}
      </ul>
      <form method="get" action={partPath(account, part)} class="inline" role="search">
        <label>
          Name contains
          <input name="q" type="search" value={filter} autocomplete="off" spellcheck={false} />
        </label>
        <button class="plain">Filter</button>
      </form>
      <PermissionTable
        caption="Repositories"
        permissions={permissions.repositories}
        filter={filter}
        path={(name) => pathTo(name)}
      />
      <PermissionTable
        caption="Repository groups"
        permissions={permissions.repositories_groups}
        filter={filter}
        path={(name) => pathTo(name)}
      />
      <PermissionTable caption="User groups" permissions={permissions.user_groups} filter={filter} />
    </>
  );
}

/** Returns the page of a user's effective permissions. */
export function permissionsPage({ accountOf, ...route }: AccountScope): PageRoute {
  return {
    ...route,
    async get(visit) {
      const account = await accountOf(visit);
      const user = await readUser(visit, account);
      return showAccountPage(visit, account, {
        part,
        children: (
          <>
            <h2>Permissions</h2>
            <PermissionOverview visit={visit} account={account} user={user} />
          </>
        ),
      });
    },
  };
}
