import type { Method } from '../method.ts';
import { createApiKey, getApiKeys, resetApiKey, revokeApiKey } from './api-keys.ts';
import { getAuditLog } from './audit.ts';
import { annotateFile, getFileHistory } from './file-history.ts';
import { getChangeset, getChangesets, getRepoRefs } from './changesets.ts';
import { compareRevisions, getRepoDiff } from './comparisons.ts';
import {
  getDefaultPermissions,
  grantGlobalPermission,
  revokeGlobalPermission,
  updateDefaultPermissions,
} from './global-permissions.ts';
import { getDeletedRepos, restoreRepo } from './deleted-repositories.ts';
import { getRepoFile } from './files.ts';
import { getConsistencyReport, getServerInfo, test } from './diagnostics.ts';
import {
  createRepo,
  deleteRepo,
  followRepo,
  forkRepo,
  getRepo,
  getRepoNodes,
  getRepos,
  pull,
  rescanRepos,
  unfollowRepo,
} from './repositories.ts';
import { maintainRepo, moveRepo, verifyRepo } from './repository-upkeep.ts';
import { cancelOperation, getOperation, listOperations, waitOperation } from './operations.ts';
import { getLocks, invalidateCache, lock } from './locks.ts';
import {
  grantUserGroupPermission,
  grantUserGroupPermissionToRepoGroup,
  grantUserPermission,
  grantUserPermissionToRepoGroup,
  revokeUserGroupPermission,
  revokeUserGroupPermissionFromRepoGroup,
  revokeUserPermission,
  revokeUserPermissionFromRepoGroup,
} from './permissions.ts';
import { createRepoGroup, deleteRepoGroup, getRepoGroup, getRepoGroups, updateRepoGroup } from './repo-groups.ts';
import { getStorages, updateStorage } from './storages.ts';
import { updateRepo } from './update-repo.ts';
import {
  addUserEmail,
  addUserIp,
  createUser,
  deleteUser,
  getIp,
  getUser,
  getUsers,
  removeUserEmail,
  removeUserIp,
  updateUser,
} from './users.ts';
import {
  addUserToUserGroup,
  createUserGroup,
  deleteUserGroup,
  getUserGroup,
  getUserGroups,
  removeUserFromUserGroup,
  updateUserGroup,
} from './user-groups.ts';

/** Every method of the API by its name. */
export const methods = {
  add_user_email: addUserEmail,
  add_user_ip: addUserIp,
  add_user_to_user_group: addUserToUserGroup,
  annotate_file: annotateFile,
  cancel_operation: cancelOperation,
  compare_revisions: compareRevisions,
  create_api_key: createApiKey,
  create_repo: createRepo,
  create_repo_group: createRepoGroup,
  create_user: createUser,
  create_user_group: createUserGroup,
  delete_repo: deleteRepo,
  delete_repo_group: deleteRepoGroup,
  delete_user: deleteUser,
  delete_user_group: deleteUserGroup,
  follow_repo: followRepo,
  fork_repo: forkRepo,
  get_api_keys: getApiKeys,
  get_audit_log: getAuditLog,
  get_changeset: getChangeset,
  get_changesets: getChangesets,
  get_consistency_report: getConsistencyReport,
  get_default_permissions: getDefaultPermissions,
  get_deleted_repos: getDeletedRepos,
  get_file_history: getFileHistory,
  get_ip: getIp,
  get_locks: getLocks,
  get_operation: getOperation,
  get_repo: getRepo,
  get_repo_diff: getRepoDiff,
  get_repo_file: getRepoFile,
  get_repo_group: getRepoGroup,
  get_repo_groups: getRepoGroups,
  get_repo_nodes: getRepoNodes,
  get_repo_refs: getRepoRefs,
  get_repos: getRepos,
  get_server_info: getServerInfo,
  get_storages: getStorages,
  get_user: getUser,
  get_user_group: getUserGroup,
  get_user_groups: getUserGroups,
  get_users: getUsers,
  grant_global_permission: grantGlobalPermission,
  grant_user_group_permission: grantUserGroupPermission,
  grant_user_group_permission_to_repo_group: grantUserGroupPermissionToRepoGroup,
  grant_user_permission: grantUserPermission,
  grant_user_permission_to_repo_group: grantUserPermissionToRepoGroup,
  invalidate_cache: invalidateCache,
  list_operations: listOperations,
  lock,
  maintain_repo: maintainRepo,
  move_repo: moveRepo,
  pull,
  remove_user_email: removeUserEmail,
  remove_user_from_user_group: removeUserFromUserGroup,
  remove_user_ip: removeUserIp,
  rescan_repos: rescanRepos,
  reset_api_key: resetApiKey,
  restore_repo: restoreRepo,
  revoke_api_key: revokeApiKey,
  revoke_global_permission: revokeGlobalPermission,
  revoke_user_group_permission: revokeUserGroupPermission,
  revoke_user_group_permission_from_repo_group: revokeUserGroupPermissionFromRepoGroup,
  revoke_user_permission: revokeUserPermission,
  revoke_user_permission_from_repo_group: revokeUserPermissionFromRepoGroup,
  test,
  unfollow_repo: unfollowRepo,
  update_default_permissions: updateDefaultPermissions,
  update_repo: updateRepo,
  update_repo_group: updateRepoGroup,
  update_storage: updateStorage,
  update_user: updateUser,
  update_user_group: updateUserGroup,
  verify_repo: verifyRepo,
  wait_operation: waitOperation,
} as const satisfies { readonly [Name in string]: Method<Name> };

export type Methods = typeof methods;
export type MethodName = keyof Methods;

const byAnyName = new Map<string, Method & { readonly name: MethodName }>(
  Object.values(methods).flatMap((method) => [method.name, ...method.aliases].map((name) => [name, method] as const)),
);

/** Returns the method with this name or alias. */
export function findMethod(anyName: string): (Method & { readonly name: MethodName }) | undefined {
  return byAnyName.get(anyName);
}
