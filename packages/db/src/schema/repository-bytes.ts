import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { insertedAt, instant } from './columns.ts';
import { repositories, storages } from './repositories.ts';

/** Trees of repositories beside those of which the repositories' rows tell: where one arrives, and where one was. */
export const repositoryCopies = pgTable(
  'repository_copies',
  {
    storageId: uuid()
      .notNull()
      .references(() => storages.id),
    storagePath: text().notNull(),
    /** No foreign key: a copy outlives its repository. */
    repositoryId: integer().notNull(),
    /** `arriving` until the operation ends; `leaving` while reads that began before the move may go on. */
    role: text().$type<'arriving' | 'leaving'>().notNull(),
    /** The operation that made the copy or has left it; no foreign key either. */
    operationId: uuid().notNull(),
    /** The epoch that the repository has, or had, at this path. */
    epoch: bigint({ mode: 'number' }).notNull(),
    createdAt: insertedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.storageId, table.storagePath] }),
    check('repository_copies_role', sql`${table.role} in ('arriving', 'leaving')`),
    index().on(table.repositoryId),
    index().on(table.operationId),
  ],
);

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
