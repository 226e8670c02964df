/** Functions of the schema that one tier calls; Postgres would let both. */
export const tierFunctions = {
  gateway: [],
  worker: ['record_client_fetches'],
} as const satisfies Record<'gateway' | 'worker', readonly string[]>;
