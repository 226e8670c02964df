import {
  deleteRepoGroupPage,
  newRepoGroupPage,
  repoGroupPage,
  repoGroupsPage,
} from './admin/repo-groups/repo-group-pages.tsx';
import { repoGroupPermissionsPage } from './admin/repo-groups/repo-group-permissions-page.tsx';
import { userGroupMembersPage } from './admin/user-groups/user-group-members-page.tsx';
import {
  deleteUserGroupPage,
  newUserGroupPage,
  userGroupPage,
  userGroupPermissionsPage,
  userGroupsPage,
} from './admin/user-groups/user-group-pages.tsx';
import { userAddressesPage } from './admin/users/user-addresses-page.tsx';
import { userGroupsOfUserPage } from './admin/users/user-groups-page.tsx';
import {
  administeredAccount,
  deleteUserPage,
  newUserPage,
  userPage,
  userPermissionsPage,
  usersPage,
} from './admin/users/user-pages.tsx';
import type { PageRoute, RouteTable } from './page-route.ts';
import { ownAccount } from './account/account-frame.tsx';
import { apiKeysPage } from './account/api-keys-page.tsx';
import { emailsPage } from './account/emails-page.tsx';
import { passwordPage } from './account/password-page.tsx';
import { permissionsPage } from './account/permissions-page.tsx';
import { profilePage } from './account/profile-page.tsx';
import { followedPage, ownedPage } from './account/repositories-page.tsx';
import {
  activityAtom,
  activityPage,
  activityRss,
  publicActivityAtom,
  publicActivityPage,
  publicActivityRss,
} from './activity-pages.tsx';
import { auditLogPage } from './admin/audit-log-page.tsx';
import { clusterPage } from './admin/cluster-page.tsx';
import { consistencyPage } from './admin/consistency-page.tsx';
import { deletedPage } from './admin/deleted-page.tsx';
import { cancelOperationPage } from './admin/operations/cancel-operation-page.tsx';
import { operationsPage } from './admin/operations/operations-page.tsx';
import { defaultPermissionsPage } from './admin/default-permissions-page.tsx';
import { defaultUserAddressesPage } from './admin/default-user-addresses-page.tsx';
import { serverPage } from './admin/server-page.tsx';
import { storagesPage } from './admin/storages-page.tsx';
import { apiDocsPage } from './api-docs/api-docs-page.tsx';
import { createRepositoryRoute } from './repository/create-repository-page.tsx';
import { toggleFollowingRoute } from './repository/followers-page.tsx';

/** Pages of the visitor's own account, by their paths below /_admin. */
const accountRoutes: RouteTable = {
  my_account: profilePage,
  'my_account/password': passwordPage,
  'my_account/emails': emailsPage(ownAccount),
  'my_account/api_keys': apiKeysPage(ownAccount),
  'my_account/repos': ownedPage,
  'my_account/watched': followedPage,
  'my_account/perms': permissionsPage(ownAccount),
};

/**
 * Pages of activity and their feeds, by their present and former paths below /_admin, some named after `get_journal`.
 */
const activityRoutes: RouteTable = {
  journal: activityPage,
  'journal/rss': activityRss,
  'journal/atom': activityAtom,
  public_journal: publicActivityPage,
  'public_journal/rss': publicActivityRss,
  'public_journal/atom': publicActivityAtom,
  public_journal_rss: publicActivityRss,
  public_journal_atom: publicActivityAtom,
};

/** The page at /_admin: redirects administrators to the list of users, and any other visitor to the front page. */
const startPage: PageRoute = {
  pageName: 'SettingsController:index',
  audience: 'anybody',
  get: async ({ visitor }) =>
    new Response(null, { status: 302, headers: { Location: visitor.admin ? '/_admin/users' : '/' } }),
};

/** Pages of the administration by their paths below /_admin. */
const administrationRoutes: RouteTable = {
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

/** Pages below /_admin by their paths, without those for signing in and out. */
export const adminRoutes: RouteTable = {
  ...accountRoutes,
  ...administrationRoutes,
  ...activityRoutes,
  'api-docs': apiDocsPage,
  create_repository: createRepositoryRoute,
  toggle_following: toggleFollowingRoute,
};

const parsed = Object.entries(adminRoutes).map(([path, route]) => ({
  pattern: path === '' ? [] : path.split('/'),
  route,
}));

/** Returns the page at a path below /_admin, given as segments; undefined when there is none. */
export function adminRoute(segments: readonly string[]): PageRoute | undefined {
  const fits = (pattern: readonly string[]) =>
    pattern.length === segments.length && pattern.every((part, at) => part === '*' || part === segments[at]);
  return parsed.find(({ pattern }) => fits(pattern))?.route;
}
