import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { insertedAt, instant } from './columns.ts';

/** How many failed calls each caller has made in the minute that began at `since`. */
export const refusalCounts = pgTable(
  'refusal_counts',
  {
    /** No foreign key, as in the audit log. */
    actorId: integer().primaryKey(),
    since: instant().notNull(),
    count: integer().notNull(),
    /** Request id of the entry of the audit log that counts the minute's further refusals; null while there is none. */
    countedIn: uuid(),
  },
  (table) => [index().on(table.since)],
);

/** Failed calls without an entry of their own in the audit log, for as long as their commands could be replayed. */
export const countedRefusals = pgTable(
  'counted_refusals',
  {
    requestId: uuid().primaryKey(),
    at: insertedAt(),
    actorId: integer().notNull(),
    method: text().notNull(),
    /** The beginning of the error text that the client got. */
    error: text().notNull(),
  },
  (table) => [index().on(table.at)],
);
