import type { Method } from '../method.ts';
import { methods } from '../methods/index.ts';
import { setDefaultBranch } from '../methods/update-repo.ts';
import { changePassword, updateAccount, upgradePassword, viewRights } from './account.ts';
import {
  browseRepoGroups,
  browseUserGroups,
  browseUsers,
  listRepositoryNames,
  listStrandedOperations,
  viewGlobalGrants,
  viewStoredSize,
  viewUser,
  viewUserGroup,
} from './admin.ts';
import { browseRepositories, listForks, viewRepository, viewRepositoryHead } from './browse.ts';
import {
  downloadArchive,
  downloadComparison,
  downloadDiff,
  downloadFile,
  downloadPatch,
  viewContentId,
  viewPath,
} from './content.ts';
import { browseRefs } from './browse-refs.ts';
import { viewChangeset, viewFileSizes } from './changeset.ts';
import { viewDocument } from './document.ts';
import { viewFilesPage } from './files-page.ts';
import { getJournal, journalFeed, repositoryFeed } from './feeds.ts';
import { viewOperationResult } from '../methods/operations.ts';
import { listFollowers, listGroupMembers, listMembers, viewRepoGroup } from './people.ts';
import { listRefs, refsOf } from './refs.ts';
import { wirePush, wireRead } from './vcs-http.ts';

/** The views: methods for pages and gateways alone, which the RPC endpoint does not serve. */
export const views = {
  browse_refs: browseRefs,
  browse_repo_groups: browseRepoGroups,
  browse_repositories: browseRepositories,
  browse_user_groups: browseUserGroups,
  browse_users: browseUsers,
  change_password: changePassword,
  download_archive: downloadArchive,
  download_comparison: downloadComparison,
  download_diff: downloadDiff,
  download_file: downloadFile,
  download_patch: downloadPatch,
  get_journal: getJournal,
  journal_feed: journalFeed,
  list_followers: listFollowers,
  list_forks: listForks,
  list_group_members: listGroupMembers,
  list_members: listMembers,
  list_refs: listRefs,
  list_repository_names: listRepositoryNames,
  list_stranded_operations: listStrandedOperations,
  refs_of: refsOf,
  repository_feed: repositoryFeed,
  update_account: updateAccount,
  upgrade_password: upgradePassword,
  set_default_branch: setDefaultBranch,
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
} as const satisfies { readonly [Name in string]: Method<Name> };

/** Every method that a worker serves: those of the API and the views. */
export const served = { ...methods, ...views };

export type Served = typeof served;
export type ServedName = keyof Served;
