import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, instant } from './columns.ts';
import { repositories } from './repositories.ts';

/** How far a running operation is. */
export interface OperationProgress {
  readonly phase: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit?: string;
}

/** The journal: whatever changes repository bytes or their life cycle. All times are the database's. */
export const operations = pgTable(
  'operations',
  {
    id: uuid().primaryKey(),
    kind: text().$type<'adopt' | 'create' | 'import' | 'fork' | 'pull' | 'delete'>().notNull(),
    /** Kept as a bare number: the row outlives the repository it deleted. */
    repositoryId: integer().notNull(),
    /** What a fork is made from: kept from being deleted or pulled into while the fork is made. */
    sourceRepositoryId: integer().references(() => repositories.id, { onDelete: 'set null' }),
    /** A bare number, too: to forget a user is not to rewrite all that he did. */
    actorId: integer(),
    /** What the executor needs beside the repository's own row. */
    request: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
    state: text().$type<'running' | 'done' | 'failed'>().notNull(),
    worker: text(),
    leaseUntil: instant(),
    attempt: integer().notNull().default(0),
    /** How many attempts ended because their worker was told to stop. */
    handovers: integer().notNull().default(0),
    cancelRequestedAt: instant(),
    /** Null when nothing is known, and when it has ended. */
    progress: jsonb().$type<OperationProgress>(),
    /** The client's text of why it failed. */
    error: text(),
    createdAt: createdAt(),
    startedAt: instant(),
    finishedAt: instant(),
  },
  (table) => [
    check('operations_state', sql`${table.state} in ('running', 'done', 'failed')`),
    uniqueIndex('operations_one_running')
      .on(table.repositoryId)
      .where(sql`state = 'running'`),
    index('operations_unfinished')
      .on(table.createdAt)
      .where(sql`state = 'running'`),
    index().on(table.createdAt, table.id),
    index().on(table.actorId, table.createdAt, table.id),
    index('operations_failed')
      .on(table.createdAt, table.id)
      .where(sql`state = 'failed'`),
    index().on(table.sourceRepositoryId),
    index().on(table.finishedAt),
  ],
);
