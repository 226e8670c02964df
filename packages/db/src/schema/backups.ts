import { sql } from 'drizzle-orm';
import { check, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { insertedAt } from './columns.ts';

/**
 * The backups that were made of this instance, and the one from which it was restored. Rows that were set back know
 * nothing of the backups that were made since, whose files then tell nothing about the repositories of now.
 */
export const backups = pgTable(
  'backups',
  {
    id: uuid().primaryKey(),
    kind: text().$type<'made' | 'restored'>().notNull(),
    recordedAt: insertedAt(),
  },
  (table) => [check('backups_kind', sql`${table.kind} in ('made', 'restored')`)],
);
