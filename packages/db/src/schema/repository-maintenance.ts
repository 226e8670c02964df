import { sql } from 'drizzle-orm';
import { index, integer, pgTable } from 'drizzle-orm/pg-core';
import { insertedAt, instant } from './columns.ts';
import { repositories } from './repositories.ts';

/** What the choice of the next repository to maintain needs to know; a row for each repository that was ever changed. */
export const repositoryMaintenance = pgTable(
  'repository_maintenance',
  {
    repositoryId: integer()
      .primaryKey()
      .references(() => repositories.id, { onDelete: 'cascade' }),
    /** Changes of the repository's files since it was last maintained. */
    changes: integer().notNull(),
    changedAt: instant().notNull(),
    /** Time of the last beginning that has not led to an end. */
    triedAt: instant(),
    /** Time at which unreachable objects were last looked for. */
    searchedAt: insertedAt(),
  },
  (table) => [
    index('repository_maintenance_due')
      .on(table.changedAt)
      .where(sql`changes > 0`),
  ],
);
