import { bigint, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { insertedAt } from './columns.ts';

/**
 * Clones and fetches by clients: how many of one user from one repository began within ten minutes. No foreign keys: a
 * repository that a transaction holds would keep the counts of all others waiting.
 */
export const clientFetches = pgTable(
  'client_fetches',
  {
    /** A number of the audit log, so that entries of both are in one order. */
    id: bigint({ mode: 'number' }).primaryKey(),
    /** The time of the first one. */
    at: insertedAt(),
    /** Number of the ten minutes since 1970. */
    period: integer().notNull(),
    actorId: integer().notNull(),
    /** The username at that time. */
    actor: text().notNull(),
    repositoryId: integer().notNull(),
    count: integer().notNull(),
  },
  (table) => [
    unique('client_fetches_of_period').on(table.period, table.repositoryId, table.actorId),
    index().on(table.repositoryId, table.id),
  ],
);
