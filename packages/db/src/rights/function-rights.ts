/** Functions of the schema that one tier calls; Postgres would let both. */
export const tierFunctions = {
  gateway: [],
  worker: [
    'caller_rights',
    'level_on_repo_group',
    'lock_ready_repository',
    'lock_repo_group',
    'keep_holder',
    'record_write',
    'lock_removed_row',
    'perform_on_repository',
    'perform_on_repo_group',
    'perform_on_api_key',
    'perform_on_holder',
    // Only former commits of this release call these.
    'write_on_repository',
    'write_on_holder',
    'act_on_repository',
    'act_on_repo_group',
    'act_on_api_key',
    'change_repository',
    'change_repo_group',
    'change_api_key',
    'change_holder',
    'record_client_fetches',
  ],
  // Only former commits of this release called it: who had the role of gateways could set passwords by it.
  neither: ['upgrade_password_hash'],
} as const satisfies Record<'gateway' | 'worker' | 'neither', readonly string[]>;
