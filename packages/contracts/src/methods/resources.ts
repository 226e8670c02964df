import type { MethodName } from './index.ts';

/** Methods about one kind of object, for lists in which people look for a method. */
export interface Resource {
  readonly title: string;
  readonly methods: readonly MethodName[];
}

/** All methods, each once, by what they are about. */
export const resources: readonly Resource[] = [
  {
    title: 'Repositories',
    methods: [
      'create_repo',
      'delete_repo',
      'follow_repo',
      'fork_repo',
      'get_deleted_repos',
      'get_locks',
      'get_repo',
      'get_repos',
      'invalidate_cache',
      'lock',
      'maintain_repo',
      'move_repo',
      'pull',
      'restore_repo',
      'unfollow_repo',
      'update_repo',
      'verify_repo',
    ],
  },
  {
    title: 'Files and history',
    methods: [
      'annotate_file',
      'compare_revisions',
      'get_changeset',
      'get_changesets',
      'get_file_history',
      'get_repo_diff',
      'get_repo_file',
      'get_repo_nodes',
      'get_repo_refs',
    ],
  },
  {
    title: 'Repository groups',
    methods: ['create_repo_group', 'delete_repo_group', 'get_repo_group', 'get_repo_groups', 'update_repo_group'],
  },
  {
    title: 'Permissions',
    methods: [
      'get_default_permissions',
      'grant_global_permission',
      'grant_user_group_permission',
      'grant_user_group_permission_to_repo_group',
      'grant_user_permission',
      'grant_user_permission_to_repo_group',
      'revoke_global_permission',
      'revoke_user_group_permission',
      'revoke_user_group_permission_from_repo_group',
      'revoke_user_permission',
      'revoke_user_permission_from_repo_group',
      'update_default_permissions',
    ],
  },
  {
    title: 'Users',
    methods: [
      'add_user_email',
      'add_user_ip',
      'create_user',
      'delete_user',
      'get_ip',
      'get_user',
      'get_users',
      'remove_user_email',
      'remove_user_ip',
      'update_user',
    ],
  },
  {
    title: 'User groups',
    methods: [
      'add_user_to_user_group',
      'create_user_group',
      'delete_user_group',
      'get_user_group',
      'get_user_groups',
      'remove_user_from_user_group',
      'update_user_group',
    ],
  },
  { title: 'API keys', methods: ['create_api_key', 'get_api_keys', 'reset_api_key', 'revoke_api_key'] },
  { title: 'Operations', methods: ['cancel_operation', 'get_operation', 'list_operations', 'wait_operation'] },
  {
    title: 'Server',
    methods: [
      'get_audit_log',
      'get_consistency_report',
      'get_server_info',
      'get_storages',
      'rescan_repos',
      'test',
      'update_storage',
    ],
  },
];
