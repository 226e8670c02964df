import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';
import { repositories } from './repositories.ts';

/** What is known from reading all of a repository; a row for each repository that was to be read. */
export const repositoryVerifications = pgTable(
  'repository_verifications',
  {
    repositoryId: integer()
      .primaryKey()
      .references(() => repositories.id, { onDelete: 'cascade' }),
    /** Time at which the last complete reading began; null before the first. */
    verifiedAt: instant(),
    /** Whether that reading found something damaged or missing. */
    damaged: boolean().notNull().default(false),
    /** Time of the last beginning that has not led to a result. */
    triedAt: instant(),
    /** Time at which somebody asked for a reading that has not begun since, or has not ended. */
    requestedAt: instant(),
  },
  (table) => [
    index('repository_verifications_damaged')
      .on(table.repositoryId)
      .where(sql`damaged`),
    index('repository_verifications_requested')
      .on(table.requestedAt)
      .where(sql`requested_at is not null`),
  ],
);
