/** Functions of the schema that one tier calls; Postgres would let both. */
export const tierFunctions = {
  gateway: [],
  worker: [
    'caller_rights',
    'level_on_repo_group',
    'lock_ready_repository',
    'lock_repo_group',
    'keep_holder',
    'lock_removed_row',
    'record_write',
    'write_on_repository',
    'write_on_repo_group',
    'write_on_api_key',
    'write_on_holder',
    'record_client_fetches',
  ],
} as const satisfies Record<'gateway' | 'worker', readonly string[]>;
