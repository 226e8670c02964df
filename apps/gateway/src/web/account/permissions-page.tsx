import { pathTo } from '../http/path-segments.ts';
import { readUser, showAccountPage, type Account, type AccountScope, type AccountUser } from './account-frame.tsx';
import { partPath } from '../layout/tabbed-pages.tsx';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';

/** Clients know this permission, which grants nothing here: there is no page on which strangers register. */
const registration = 'Only administrators create users, whatever this permission says';

const texts: ReadonlyMap<string, string> = new Map([
  ['hg.admin', 'Can administer the service'],
  ['hg.create.repository', 'Can create repositories'],
  ['hg.create.none', 'Cannot create repositories'],
  ['hg.fork.repository', 'Can fork repositories'],
  ['hg.fork.none', 'Cannot fork repositories'],
  ['hg.create.write_on_repogroup.true', 'Can create repositories in repository groups with write permission'],
  ['hg.create.write_on_repogroup.false', 'Cannot create repositories in repository groups with write permission only'],
  ['hg.register.none', registration],
  ['hg.register.manual_activate', registration],
  ['hg.register.auto_activate', registration],
]);

const defaults = { repository: 'new repositories', group: 'new repository groups', usergroup: 'user groups' } as const;

function textOf(permission: string): string {
  const [kind, level] = permission.split('.');
  const named = Object.entries(defaults).find(([one]) => one === kind)?.[1];
  return texts.get(permission) ?? (named === undefined ? permission : `Default level on ${named}: ${level}`);
}

/**
 * Returns pairs of a permission's name and its description; a permission without a description has its name instead.
 */
export function globalPermissionTexts(permissions: readonly string[]): readonly (readonly [string, string])[] {
  return permissions.map((permission) => [permission, textOf(permission)]);
}

const rowsMax = 200;

interface PermissionTableProps {
  readonly caption: string;
  /** Permissions such as `repository.read`, by the names of the objects. */
  readonly permissions: Readonly<Record<string, string>>;
  /** The text that the shown names contain, in upper or lower case; empty for all names. */
  readonly filter: string;
  readonly path?: (name: string) => string;
}

/** Renders a table of objects and the levels on them, of at most `rowsMax` rows. */
function PermissionTable({ caption, permissions, filter, path }: PermissionTableProps) {
  const wanted = filter.toLowerCase();
  const found = Object.entries(permissions).filter(([name]) => name.toLowerCase().includes(wanted));
  if (found.length === 0) {
    return (
      <>
        <h3>{caption}</h3>
        <p class="soft">{filter === '' ? 'None.' : `No names contain “${filter}”.`}</p>
      </>
    );
  }
  return (
    <>
      <h3>{caption}</h3>
      <table class="permissions">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Level</th>
          </tr>
        </thead>
        <tbody>
          {found
            .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
            .slice(0, rowsMax)
            .map(([name, permission]) => (
              <tr>
                <td>{path ? <a href={path(name)}>{name}</a> : name}</td>
                <td>{permission.slice(permission.indexOf('.') + 1)}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {found.length > rowsMax && (
        <p class="soft">
          The first {rowsMax} of {found.length} are shown. Filter by name to find others.
        </p>
      )}
    </>
  );
}

const part = 'perms';

interface PermissionOverviewProps {
  readonly visit: Visit;
  readonly account: Account;
  readonly user: AccountUser;
}

/** Renders the effective permissions of a user. */
export function PermissionOverview({
  visit: { query },
  account,
  user: { admin, permissions },
}: PermissionOverviewProps) {
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
