import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { insertedAt } from './columns.ts';
import { storages } from './repositories.ts';

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
