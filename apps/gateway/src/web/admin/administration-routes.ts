import type { RouteTable } from '../page-route.ts';
import { apiKeysPage } from '../account/api-keys-page.tsx';
import { emailsPage } from '../account/emails-page.tsx';
import type { PageRoute } from '../page-route.ts';
import { auditLogPage } from './audit-log-page.tsx';
import { clusterPage } from './cluster/cluster-page.tsx';
import { consistencyPage } from './consistency-page.tsx';
import { deletedPage } from './deleted-page.tsx';
import { cancelOperationPage } from './operations/cancel-operation-page.tsx';
import { operationsPage } from './operations/operations-page.tsx';
import { defaultPermissionsPage } from './permissions/default-permissions-page.tsx';
import { defaultUserAddressesPage } from './permissions/default-user-addresses-page.tsx';
import { deleteRepoGroupPage } from './repo-groups/delete-repo-group-page.tsx';
import { newRepoGroupPage } from './repo-groups/new-repo-group-page.tsx';
import { repoGroupPage } from './repo-groups/repo-group-page.tsx';
import { repoGroupPermissionsPage } from './repo-groups/repo-group-permissions-page.tsx';
import { repoGroupsPage } from './repo-groups/repo-groups-page.tsx';
import { serverPage } from './server-page.tsx';
import { storagesPage } from './storages-page.tsx';
import { deleteUserGroupPage } from './user-groups/delete-user-group-page.tsx';
import { newUserGroupPage } from './user-groups/new-user-group-page.tsx';
import { userGroupMembersPage } from './user-groups/user-group-members-page.tsx';
import { userGroupPage } from './user-groups/user-group-page.tsx';
import { userGroupPermissionsPage } from './user-groups/user-group-permissions-page.tsx';
import { userGroupsPage } from './user-groups/user-groups-page.tsx';
import { deleteUserPage } from './users/delete-user-page.tsx';
import { newUserPage } from './users/new-user-page.tsx';
import { userAddressesPage } from './users/user-addresses-page.tsx';
import { userGroupsOfUserPage } from './users/user-groups-page.tsx';
import { userPage } from './users/user-page.tsx';
import { userPermissionsPage } from './users/user-permissions-page.tsx';
import { administeredAccount } from './users/user-scope.ts';
import { usersPage } from './users/users-page.tsx';

/** The page at /_admin: redirects administrators to the list of users, and any other visitor to the front page. */
const startPage: PageRoute = {
  view: 'SettingsController:index',
  audience: 'anybody',
  get: async ({ visitor }) =>
    new Response(null, { status: 302, headers: { Location: visitor.admin ? '/_admin/users' : '/' } }),
};

/** Pages of the administration by their paths below /_admin. */
export const administrationRoutes: RouteTable = {
  '': startPage,
  users: usersPage,
  'users/new': newUserPage,
  'users/*/edit': userPage,
  'users/*/edit/emails': emailsPage(administeredAccount),
  'users/*/edit/api_keys': apiKeysPage(administeredAccount),
  'users/*/edit/ips': userAddressesPage,
  'users/*/edit/perms': userPermissionsPage,
  'users/*/edit/groups': userGroupsOfUserPage,
  'users/*/edit/advanced': deleteUserPage,
  user_groups: userGroupsPage,
  'user_groups/new': newUserGroupPage,
  'user_groups/*/edit': userGroupPage,
  'user_groups/*/edit/members': userGroupMembersPage,
  'user_groups/*/edit/perms': userGroupPermissionsPage,
  'user_groups/*/edit/advanced': deleteUserGroupPage,
  repo_groups: repoGroupsPage,
  'repo_groups/new': newRepoGroupPage,
  'repo_groups/*/edit': repoGroupPage,
  'repo_groups/*/edit/perms': repoGroupPermissionsPage,
  'repo_groups/*/edit/advanced': deleteRepoGroupPage,
  permissions: defaultPermissionsPage,
  'permissions/ips': defaultUserAddressesPage,
  deleted: deletedPage,
  operations: operationsPage,
  'operations/*/cancel': cancelOperationPage,
  audit_log: auditLogPage,
  consistency: consistencyPage,
  storages: storagesPage,
  cluster: clusterPage,
  server: serverPage,
};
