import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, exactText, insertedAt, instant } from './columns.ts';

/**
 * What is kept of deleted repositories while their bytes are in the trash. No foreign keys: the objects that the rows name
 * may be gone when a repository is restored.
 */
export const deletedRepositories = pgTable(
  'deleted_repositories',
  {
    /** Id that the repository had, and gets again. */
    repositoryId: integer().primaryKey(),
    /** The deletion, by whose id the bytes are found in the trash. */
    operationId: uuid().notNull().unique(),
    storageId: uuid().notNull(),
    name: exactText().notNull(),
    ownerId: integer().notNull(),
    /** Null for what the service has deleted by itself. */
    deletedById: integer(),
    /** Time of the move to the trash, which the name of the entry has, too. */
    deletedAt: instant().notNull(),
    sizeBytes: bigint({ mode: 'number' }),
    /** The source of a fork, and the forks of a source: deleted and restored repositories are attached again by these. */
    forkOfId: integer(),
    forkIds: integer().array().notNull(),
    /** As the columns of `repositories` with these names. */
    cloneUriSealed: bytea(),
    cloneUriSecretId: text(),
    /** The other columns of the repository's row, the levels of users and user groups on it, and its followers. */
    document: jsonb().notNull(),
    /** The operation that restores the repository, until it has ended. */
    restoredBy: uuid(),
    /** Time of the deletion, or of the end of the last attempt to restore. */
    keptSince: insertedAt(),
  },
  (table) => [
    index().on(table.deletedAt, table.repositoryId),
    index().on(table.storageId, table.operationId),
    // A page is read storage by storage: those of a lost one are not listed.
    index().on(table.storageId, table.deletedAt, table.repositoryId),
    index('deleted_repositories_clone_uri_secret')
      .on(table.cloneUriSecretId)
      .where(sql`clone_uri_sealed is not null`),
  ],
);
