/** Functions of the schema that one tier calls; Postgres would let both. */
export const tierFunctions = {
  gateway: [],
  worker: ['caller_rights', 'lock_ready_repository', 'record_write', 'write_on_repository', 'write_on_holder'],
} as const satisfies Record<'gateway' | 'worker', readonly string[]>;
