import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, instant } from './columns.ts';
import { repositories } from './repositories.ts';
import { users } from './users.ts';

/** The journal: whatever changes repository bytes or their life cycle. All times are the database's. */
export const operations = pgTable(
  'operations',
  {
    id: uuid().primaryKey(),
    kind: text().$type<'create' | 'import' | 'pull' | 'delete'>().notNull(),
    /** Kept as a bare number: the row outlives the repository it deleted. */
    repositoryId: integer().notNull(),
    sourceRepositoryId: integer().references(() => repositories.id, { onDelete: 'set null' }),
    actorId: integer().references(() => users.id, { onDelete: 'set null' }),
    /** What the executor needs beside the repository's own row. */
    request: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
    state: text().$type<'queued' | 'running' | 'done' | 'failed'>().notNull(),
    worker: text(),
    leaseUntil: instant(),
    attempt: integer().notNull().default(0),
    progress: jsonb().$type<Readonly<Record<string, unknown>>>(),
    /** The client's text of why it failed. */
    error: text(),
    createdAt: createdAt(),
    startedAt: instant(),
    finishedAt: instant(),
  },
  (table) => [
    check('operations_state', sql`${table.state} in ('queued', 'running', 'done', 'failed')`),
    uniqueIndex('operations_one_running')
      .on(table.repositoryId)
      .where(sql`state = 'running'`),
    index('operations_unfinished')
      .on(table.createdAt)
      .where(sql`state in ('queued', 'running')`),
    index().on(table.actorId),
    index().on(table.sourceRepositoryId),
  ],
);
