import { InvalidArgsError, passwordProblem, type ListedUser } from '@trunkline/contracts';
import { readUser, type Account, type AccountScope } from '../../account/account-frame.tsx';
import { PermissionOverview } from '../../account/permissions-page.tsx';
import { RefusalText } from '../../form/fields.tsx';
import { StoredSize, When } from '../../layout/inline.tsx';
import { partPath } from '../../layout/tabbed-pages.tsx';
import { shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { changeGrant, GlobalGrants, readGrants } from '../global-grants.tsx';
import { idSegment, listPage, newPage, type ObjectKind } from '../object-pages.tsx';
import { deletePage, editPage, partPage } from '../object-part-pages.tsx';
import { newUser, newUserSchema, userSchema, userValues } from './user-schema.ts';

const parts = {
  '': 'Profile',
  emails: 'E-mail addresses',
  api_keys: 'API keys',
  ips: 'IP restrictions',
  perms: 'Permissions',
  groups: 'User groups',
  advanced: 'Delete',
};

/** Returns the path of a user's administration pages. */
export function userPath(id: number): string {
  return `/_admin/users/${id}/edit`;
}

interface AdministeredUser {
  readonly user: ListedUser;
  readonly tabbed: Account;
}

/** Users, with the one whose id is in the path. */
export const users: ObjectKind<AdministeredUser> = {
  pageName: 'UsersController:__before__',
  section: 'users',
  noun: 'user',
  async readObject(visit) {
    const user = await visit.worker.call('view_user', { userid: idSegment(visit) });
    const { user_id: id, username } = user;
    const heading = username === 'default' ? 'default (everybody)' : username;
    return { user, tabbed: { heading, path: userPath(id), section: 'admin', userid: id, parts } };
  },
};

/** The scope of the pages on which administrators change any user's account. */
export const administeredAccount: AccountScope = {
  pageName: users.pageName,
  audience: 'administrators',
  accountOf: async (visit: Visit) => (await users.readObject(visit)).tabbed,
};

function UserRow({ user }: { user: ListedUser }) {
  const { user_id: id, username, firstname, lastname, email, active, admin, last_login: lastLogin } = user;
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return (
    <>
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
    </>
  );
}

export const usersPage = listPage(users, {
  filterLabel: 'Name or e-mail address contains',
  async find({ worker }, query) {
    const { users: rows, next } = await worker.call('browse_users', query);
    return { rows, next };
  },
  showRow: (user) => <UserRow user={user} />,
});

/** Throws InvalidArgsError for a password that nobody can choose; an empty one is none. */
function requireAllowed(password: string, username: string): void {
  const problem = password === '' ? undefined : passwordProblem(password, username);
  if (problem) throw new InvalidArgsError(`Invalid value for \`password\`: ${problem}`);
}

export const newUserPage = newPage(users, {
  schema: newUserSchema,
  initial: newUser,
  async create({ worker }, { password, ldap_dn: dn, ...values }) {
    requireAllowed(password, values.username);
    const { user } = await worker.call('create_user', { ...values, password: password || null, ldap_dn: dn || null });
    return { name: user.username, path: userPath(user.user_id) };
  },
});

/** The page of a user's profile, active or not, administrator or not. */
export const userPage = editPage(users, {
  schemaOf: ({ user }) => userSchema(user),
  valuesOf: ({ user }) => userValues(user),
  async about({ worker }, { user }) {
    const size = await worker.call('view_stored_size', { userid: user.user_id });
    return { below: <StoredSize size={size} of="Owned by the user" /> };
  },
  async update({ worker }, { user }, changed) {
    requireAllowed(changed.password ?? '', changed.username ?? user.username);
    await worker.call('update_user', { userid: user.user_id, ...changed });
  },
});

export const deleteUserPage = deletePage(users, {
  nameOf: ({ user }) => user.username,
  warning: (name) => (
    <>
      This permanently deletes <strong>{name}</strong> with all API keys, e-mail addresses and permissions. A user who
      owns repositories or groups cannot be deleted. To block a user without deleting the account, make the user
      inactive.
    </>
  ),
  remove: ({ worker }, { user }) => worker.call('delete_user', { userid: user.user_id }),
});

/** The page of a user's effective permissions, and of the global permissions granted to that user. */
export const userPermissionsPage = partPage(users, {
  part: 'perms',
  async show(visit, { tabbed, user }, refusal) {
    const [rights, granted] = await Promise.all([readUser(visit, tabbed), readGrants(visit, { userid: user.user_id })]);
    return (
      <>
        <RefusalText refusal={refusal} />
        <h3>Granted to this user</h3>
        <GlobalGrants visitor={visit.visitor} action={partPath(tabbed, 'perms')} granted={granted} />
        <PermissionOverview visit={visit} account={tabbed} user={rights} />
      </>
    );
  },
  submit: (visit, { user }) => changeGrant(visit, { userid: user.user_id }),
});
