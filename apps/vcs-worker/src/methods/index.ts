import type { ServedName } from '@trunkline/contracts';
import { changePassword, updateAccount, upgradePassword } from './user/account.ts';
import {
  browseRepoGroups,
  browseUserGroups,
  browseUsers,
  listGroupMembers,
  listRepositoryNames,
  listStrandedOperations,
  viewGlobalGrants,
  viewRepoGroup,
  viewStoredSize,
  viewUser,
  viewUserGroup,
} from './administration/admin-views.ts';
import { createApiKey, getApiKeys, resetApiKey, revokeApiKey } from './user/api-keys.ts';
import { getAuditLog } from './administration/get-audit-log.ts';
import { browseRepositories } from './browse/browse-repositories.ts';
import { listFollowers, listForks, listMembers, viewRepository, viewRights } from './browse/repository-views.ts';
import { viewRepositoryHead } from './browse/view-repository-head.ts';
import { browseRefs } from './repository/browse-refs.ts';
import { getRepoRefs, listRefs, refsOf } from './repository/get-repo-refs.ts';
import {
  downloadArchive,
  downloadComparison,
  downloadDiff,
  downloadFile,
  downloadPatch,
  viewContentId,
} from './content/downloads.ts';
import { annotateFile } from './content/annotate-file.ts';
import { getFileHistory } from './content/get-file-history.ts';
import { viewChangeset, viewFileSizes } from './content/view-changeset.ts';
import { viewDocument } from './content/view-document.ts';
import { viewFilesPage } from './content/view-files-page.ts';
import { viewPath } from './content/view-path.ts';
import type { MethodHandler } from './context.ts';
import { getConsistencyReport } from './diagnostics/get-consistency-report.ts';
import { getServerInfo, test } from './diagnostics/get-server-info.ts';
import { getJournal, journalFeed, repositoryFeed } from './feed/feeds.ts';
import { cancelOperation } from './operation/cancel-operation.ts';
import { getOperation, listOperations, waitOperation } from './operation/get-operation.ts';
import { viewOperationResult } from './operation/view-operation-result.ts';
import { getDefaultPermissions, updateDefaultPermissions } from './permission/default-permissions.ts';
import { grantGlobalPermission, revokeGlobalPermission } from './permission/global-permission.ts';
import {
  grantUserGroupPermission,
  grantUserPermission,
  revokeUserGroupPermission,
  revokeUserPermission,
} from './permission/repository-permission.ts';
import { createRepoGroup, deleteRepoGroup } from './repo-group/create-repo-group.ts';
import { getRepoGroup, getRepoGroups } from './repo-group/get-repo-groups.ts';
import {
  grantUserGroupPermissionToRepoGroup,
  grantUserPermissionToRepoGroup,
  revokeUserGroupPermissionFromRepoGroup,
  revokeUserPermissionFromRepoGroup,
} from './permission/repo-group-permission.ts';
import { updateRepoGroup } from './repo-group/update-repo-group.ts';
import { compareRevisions, getRepoDiff } from './repository/compare-revisions.ts';
import { createRepo } from './repository/create-repo.ts';
import { deleteRepo } from './repository/delete-repo.ts';
import { followRepo, unfollowRepo } from './repository/follow-repo.ts';
import { forkRepo } from './repository/fork-repo.ts';
import { getChangeset, getChangesets } from './repository/get-changesets.ts';
import { getDeletedRepos, restoreRepo } from './repository/restore-repo.ts';
import { getLocks, lock } from './repository/lock.ts';
import { getRepoFile } from './repository/get-repo-file.ts';
import { getRepoNodes } from './repository/get-repo-nodes.ts';
import { getRepo, getRepos } from './repository/get-repo.ts';
import { invalidateCache } from './repository/invalidate-cache.ts';
import { maintainRepo, verifyRepo } from './repository/maintain-repo.ts';
import { moveRepo } from './repository/move-repo.ts';
import { pull } from './repository/pull.ts';
import { rescanRepos } from './repository/rescan-repos.ts';
import { setDefaultBranch } from './repository/set-default-branch.ts';
import { updateRepo } from './repository/update-repo.ts';
import { getStorages, updateStorage } from './storage/storages.ts';
import {
  addUserToUserGroup,
  getUserGroup,
  getUserGroups,
  removeUserFromUserGroup,
} from './user-group/user-group-members.ts';
import { createUserGroup, deleteUserGroup, updateUserGroup } from './user-group/change-user-groups.ts';
import { addUserEmail, addUserIp, removeUserEmail, removeUserIp } from './user/user-addresses.ts';
import { createUser, deleteUser, updateUser } from './user/change-users.ts';
import { getIp, getUser, getUsers } from './user/get-users.ts';
import { wirePush } from '../vcs-http/methods/wire-push.ts';
import { wireRead } from '../vcs-http/methods/wire-read.ts';

/** One handler for each method; the compiler refuses a missing, swapped or mistyped one. */
export const handlers: { readonly [Name in ServedName]: MethodHandler<Name> } = {
  add_user_email: addUserEmail,
  add_user_ip: addUserIp,
  add_user_to_user_group: addUserToUserGroup,
  annotate_file: annotateFile,
  browse_repo_groups: browseRepoGroups,
  browse_repositories: browseRepositories,
  browse_user_groups: browseUserGroups,
  browse_users: browseUsers,
  cancel_operation: cancelOperation,
  change_password: changePassword,
  upgrade_password: upgradePassword,
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
  list_followers: listFollowers,
  list_forks: listForks,
  list_group_members: listGroupMembers,
  list_members: listMembers,
  browse_refs: browseRefs,
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
  download_comparison: downloadComparison,
  download_diff: downloadDiff,
  download_file: downloadFile,
  download_patch: downloadPatch,
  get_journal: getJournal,
  journal_feed: journalFeed,
  repository_feed: repositoryFeed,
  view_changeset: viewChangeset,
  view_content_id: viewContentId,
  view_file_sizes: viewFileSizes,
  view_document: viewDocument,
  view_files_page: viewFilesPage,
  view_global_grants: viewGlobalGrants,
  view_operation_result: viewOperationResult,
  view_path: viewPath,
  view_repo_group: viewRepoGroup,
  view_repository: viewRepository,
  view_repository_head: viewRepositoryHead,
  view_rights: viewRights,
  view_stored_size: viewStoredSize,
  view_user: viewUser,
  view_user_group: viewUserGroup,
  wire_push: wirePush,
  wire_read: wireRead,
};
