import type { ServedName } from '@trunkline/contracts';
import { changePassword } from './account/change-password.ts';
import { upgradePassword } from './account/upgrade-password.ts';
import { updateAccount } from './account/update-account.ts';
import { browseRepoGroups } from './administration/browse-repo-groups.ts';
import { browseUserGroups } from './administration/browse-user-groups.ts';
import { browseUsers } from './administration/browse-users.ts';
import { listGroupMembers } from './administration/list-group-members.ts';
import { listRepositoryNames } from './administration/list-repository-names.ts';
import { listStrandedOperations } from './administration/list-stranded-operations.ts';
import { viewRepoGroup } from './administration/view-repo-group.ts';
import { viewStoredSize } from './administration/view-stored-size.ts';
import { viewGlobalGrants } from './administration/view-global-grants.ts';
import { viewUserGroup } from './administration/view-user-group.ts';
import { viewUser } from './administration/view-user.ts';
import { createApiKey } from './api-key/create-api-key.ts';
import { getApiKeys } from './api-key/get-api-keys.ts';
import { resetApiKey } from './api-key/reset-api-key.ts';
import { revokeApiKey } from './api-key/revoke-api-key.ts';
import { getAuditLog } from './administration/get-audit-log.ts';
import { browseRepositories } from './browse/browse-repositories.ts';
import { listForks } from './browse/list-forks.ts';
import { listFollowers } from './browse/list-followers.ts';
import { listMembers } from './browse/list-members.ts';
import { listRefs } from './browse/list-refs.ts';
import { refsOf } from './browse/refs-of.ts';
import { viewRepository } from './browse/view-repository.ts';
import { viewRights } from './browse/view-rights.ts';
import { downloadArchive } from './content/download-archive.ts';
import { downloadDiff } from './content/download-diff.ts';
import { downloadFile } from './content/download-file.ts';
import { downloadPatch } from './content/download-patch.ts';
import { viewFilesPage } from './content/view-files-page.ts';
import { viewPath } from './content/view-path.ts';
import type { MethodHandler } from './context.ts';
import { getConsistencyReport } from './diagnostics/get-consistency-report.ts';
import { getServerInfo } from './diagnostics/get-server-info.ts';
import { test } from './diagnostics/test.ts';
import { getJournal } from './feed/get-journal.ts';
import { journalFeed } from './feed/journal-feed.ts';
import { repositoryFeed } from './feed/repository-feed.ts';
import { cancelOperation } from './operation/cancel-operation.ts';
import { getOperation } from './operation/get-operation.ts';
import { listOperations } from './operation/list-operations.ts';
import { viewOperationResult } from './operation/view-operation-result.ts';
import { waitOperation } from './operation/wait-operation.ts';
import { getDefaultPermissions } from './permission/get-default-permissions.ts';
import { grantGlobalPermission } from './permission/grant-global-permission.ts';
import { grantUserGroupPermission } from './permission/grant-user-group-permission.ts';
import { grantUserPermission } from './permission/grant-user-permission.ts';
import { revokeGlobalPermission } from './permission/revoke-global-permission.ts';
import { revokeUserGroupPermission } from './permission/revoke-user-group-permission.ts';
import { revokeUserPermission } from './permission/revoke-user-permission.ts';
import { updateDefaultPermissions } from './permission/update-default-permissions.ts';
import { createRepoGroup } from './repo-group/create-repo-group.ts';
import { deleteRepoGroup } from './repo-group/delete-repo-group.ts';
import { getRepoGroup } from './repo-group/get-repo-group.ts';
import { getRepoGroups } from './repo-group/get-repo-groups.ts';
import { grantUserGroupPermissionToRepoGroup } from './repo-group-permission/grant-user-group-permission-to-repo-group.ts';
import { grantUserPermissionToRepoGroup } from './repo-group-permission/grant-user-permission-to-repo-group.ts';
import { revokeUserGroupPermissionFromRepoGroup } from './repo-group-permission/revoke-user-group-permission-from-repo-group.ts';
import { revokeUserPermissionFromRepoGroup } from './repo-group-permission/revoke-user-permission-from-repo-group.ts';
import { updateRepoGroup } from './repo-group/update-repo-group.ts';
import { createRepo } from './repository/create-repo.ts';
import { deleteRepo } from './repository/delete-repo.ts';
import { followRepo } from './repository/follow-repo.ts';
import { forkRepo } from './repository/fork-repo.ts';
import { getChangeset } from './repository/get-changeset.ts';
import { getChangesets } from './repository/get-changesets.ts';
import { getDeletedRepos } from './repository/get-deleted-repos.ts';
import { getLocks } from './repository/get-locks.ts';
import { getRepoNodes } from './repository/get-repo-nodes.ts';
import { getRepoRefs } from './repository/get-repo-refs.ts';
import { getRepo } from './repository/get-repo.ts';
import { getRepos } from './repository/get-repos.ts';
import { invalidateCache } from './repository/invalidate-cache.ts';
import { lock } from './repository/lock.ts';
import { maintainRepo } from './repository/maintain-repo.ts';
import { moveRepo } from './repository/move-repo.ts';
import { pull } from './repository/pull.ts';
import { rescanRepos } from './repository/rescan-repos.ts';
import { restoreRepo } from './repository/restore-repo.ts';
import { setDefaultBranch } from './repository/set-default-branch.ts';
import { unfollowRepo } from './repository/unfollow-repo.ts';
import { updateRepo } from './repository/update-repo.ts';
import { verifyRepo } from './repository/verify-repo.ts';
import { getStorages } from './storage/get-storages.ts';
import { updateStorage } from './storage/update-storage.ts';
import { addUserToUserGroup } from './user-group/add-user-to-user-group.ts';
import { createUserGroup } from './user-group/create-user-group.ts';
import { deleteUserGroup } from './user-group/delete-user-group.ts';
import { getUserGroup } from './user-group/get-user-group.ts';
import { getUserGroups } from './user-group/get-user-groups.ts';
import { removeUserFromUserGroup } from './user-group/remove-user-from-user-group.ts';
import { updateUserGroup } from './user-group/update-user-group.ts';
import { addUserEmail } from './user/add-user-email.ts';
import { addUserIp } from './user/add-user-ip.ts';
import { createUser } from './user/create-user.ts';
import { deleteUser } from './user/delete-user.ts';
import { getIp } from './user/get-ip.ts';
import { getUser } from './user/get-user.ts';
import { getUsers } from './user/get-users.ts';
import { removeUserEmail } from './user/remove-user-email.ts';
import { removeUserIp } from './user/remove-user-ip.ts';
import { updateUser } from './user/update-user.ts';
import { wirePush } from '../vcs-http/methods/wire-push.ts';
import { wireRead } from '../vcs-http/methods/wire-read.ts';

/** One handler for each method; the compiler refuses a missing, swapped or mistyped one. */
export const handlers: { readonly [Name in ServedName]: MethodHandler<Name> } = {
  add_user_email: addUserEmail,
  add_user_ip: addUserIp,
  add_user_to_user_group: addUserToUserGroup,
  browse_repo_groups: browseRepoGroups,
  browse_repositories: browseRepositories,
  browse_user_groups: browseUserGroups,
  browse_users: browseUsers,
  cancel_operation: cancelOperation,
  change_password: changePassword,
  upgrade_password: upgradePassword,
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
  get_ip: getIp,
  get_locks: getLocks,
  get_operation: getOperation,
  get_repo: getRepo,
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
  list_followers: listFollowers,
  list_forks: listForks,
  list_group_members: listGroupMembers,
  list_members: listMembers,
  list_refs: listRefs,
  list_repository_names: listRepositoryNames,
  list_stranded_operations: listStrandedOperations,
  list_operations: listOperations,
  lock,
  maintain_repo: maintainRepo,
  move_repo: moveRepo,
  pull,
  refs_of: refsOf,
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
  set_default_branch: setDefaultBranch,
  unfollow_repo: unfollowRepo,
  update_account: updateAccount,
  update_default_permissions: updateDefaultPermissions,
  update_repo: updateRepo,
  update_repo_group: updateRepoGroup,
  update_storage: updateStorage,
  update_user: updateUser,
  update_user_group: updateUserGroup,
  verify_repo: verifyRepo,
  wait_operation: waitOperation,

  download_archive: downloadArchive,
  download_diff: downloadDiff,
  download_file: downloadFile,
  download_patch: downloadPatch,
  get_journal: getJournal,
  journal_feed: journalFeed,
  repository_feed: repositoryFeed,
  view_files_page: viewFilesPage,
  view_global_grants: viewGlobalGrants,
  view_operation_result: viewOperationResult,
  view_path: viewPath,
  view_repo_group: viewRepoGroup,
  view_repository: viewRepository,
  view_rights: viewRights,
  view_stored_size: viewStoredSize,
  view_user: viewUser,
  view_user_group: viewUserGroup,
  wire_push: wirePush,
  wire_read: wireRead,
};
