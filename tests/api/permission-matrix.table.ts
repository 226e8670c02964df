import type { MethodName } from '@trunkline/contracts';

/**
 * The callers, with the level of each on the repository or repository group: the heads of the columns below.
 * Ownership, the user's own level and those of user groups count in this order, then the level of everybody.
 */
export const callers = [
  'admin',
  'owner',
  'explicit admin',
  'explicit write',
  'explicit read',
  'explicit none',
  'group admin',
  'group write',
  'group read',
  'inactive group admin',
  'nothing of their own',
  'explicit read, group admin',
  'explicit none, group admin',
  'groups read and write',
  'group none',
] as const;

export type Caller = (typeof callers)[number];

/*
 * +  allowed
 * -  answered as missing: "does not exist"
 * D  refused: "Access was denied to this resource."
 */

//                                  admin
//                                  |owner
//                                  ||explicit admin, write, read, none
//                                  |||   group admin, write, read
//                                  |||   |  inactive group
//                                  |||   |  |nothing
//                                  |||   |  ||explicit read over group admin
//                                  |||   |  |||explicit none over group admin
//                                  |||   |  ||||two groups
//                                  |||   |  |||||group none
const readPublic /*             */ = '+++++-++++++-+-';
const readPrivate /*            */ = '+++++-+++--+-+-';
const write /*                  */ = '++++--++-----+-';
const administer /*             */ = '+++---+--------';
const adminOnly /*              */ = '+DDDDDDDDDDDDDD';

/** The callers who may call each method on a public and on a private repository. */
export const onRepository = {
  compare_revisions: [readPublic, readPrivate],
  annotate_file: [readPublic, readPrivate],
  delete_repo: [administer, administer],
  follow_repo: [readPublic, readPrivate],
  fork_repo: [readPublic, readPrivate],
  get_changeset: [readPublic, readPrivate],
  get_changesets: [readPublic, readPrivate],
  get_file_history: [readPublic, readPrivate],
  get_repo: [readPublic, readPrivate],
  get_repo_diff: [readPublic, readPrivate],
  get_repo_file: [readPublic, readPrivate],
  get_repo_nodes: [adminOnly, adminOnly],
  get_repo_refs: [readPublic, readPrivate],
  grant_user_group_permission: [adminOnly, adminOnly],
  grant_user_permission: [adminOnly, adminOnly],
  invalidate_cache: [write, write],
  lock: [write, write],
  maintain_repo: [administer, administer],
  move_repo: [adminOnly, adminOnly],
  pull: [adminOnly, adminOnly],
  revoke_user_group_permission: [adminOnly, adminOnly],
  revoke_user_permission: [adminOnly, adminOnly],
  unfollow_repo: [readPublic, readPrivate],
  update_repo: [administer, administer],
  verify_repo: [adminOnly, adminOnly],
} as const satisfies Partial<Record<MethodName, readonly [string, string]>>;

/** The callers who may call each method on a repository group that everybody may read, and on a closed one. */
export const onRepoGroup = {
  delete_repo_group: [administer, administer],
  get_repo_group: [readPublic, readPrivate],
  grant_user_group_permission_to_repo_group: [administer, administer],
  grant_user_permission_to_repo_group: [administer, administer],
  revoke_user_group_permission_from_repo_group: [administer, administer],
  revoke_user_permission_from_repo_group: [administer, administer],
  update_repo_group: [administer, administer],
} as const satisfies Partial<Record<MethodName, readonly [string, string]>>;

/** The callers, beside administrators, of methods that name neither, on a fresh instance. */
export const onNeither = {
  add_user_email: 'everybody, for the own user',
  add_user_ip: 'administrators',
  add_user_to_user_group: 'administrators',
  cancel_operation: 'everybody, own objects',
  create_api_key: 'everybody, for the own user',
  create_repo: 'everybody',
  create_repo_group: 'administrators',
  create_user: 'administrators',
  create_user_group: 'administrators',
  delete_user: 'administrators',
  delete_user_group: 'owners of the user group',
  get_api_keys: 'everybody, for the own user',
  get_audit_log: 'administrators',
  get_consistency_report: 'administrators',
  get_default_permissions: 'administrators',
  get_deleted_repos: 'administrators',
  get_ip: 'administrators',
  get_locks: 'everybody, for the own user',
  get_operation: 'everybody, own objects',
  get_repo_groups: 'everybody',
  get_repos: 'everybody',
  get_server_info: 'administrators',
  get_storages: 'administrators',
  get_user: 'everybody, for the own user',
  get_user_group: 'administrators',
  get_user_groups: 'administrators',
  get_users: 'administrators',
  grant_global_permission: 'administrators',
  list_operations: 'everybody, for the own user',
  remove_user_email: 'everybody, for the own user',
  remove_user_from_user_group: 'administrators',
  remove_user_ip: 'administrators',
  rescan_repos: 'administrators',
  reset_api_key: 'everybody, for the own user',
  restore_repo: 'administrators',
  revoke_api_key: 'everybody, for the own user',
  revoke_global_permission: 'administrators',
  test: 'administrators',
  update_default_permissions: 'administrators',
  update_storage: 'administrators',
  update_user: 'administrators',
  update_user_group: 'owners of the user group',
  wait_operation: 'everybody, own objects',
} as const satisfies Record<Exclude<MethodName, keyof typeof onRepository | keyof typeof onRepoGroup>, string>;
