import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { insertedAt, instant } from './columns.ts';
import { repositories } from './repositories.ts';

/** The progress of a running operation. */
export interface OperationProgress {
  readonly phase: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit?: string;
}

/** The kinds of operations that this release runs; a worker leaves those of the next release to its workers. */
export const operationKinds = [
  'adopt',
  'create',
  'import',
  'fork',
  'pull',
  'push',
  'delete',
  'move',
  'default_branch',
  'maintain',
  'restore',
  'replace',
  'verify',
] as const;

/**
 * Operations: all work that changes repository bytes or creates or deletes repositories.
 * All times are those of the database's clock.
 */
export const operations = pgTable(
  'operations',
  {
    id: uuid().primaryKey(),
    kind: text().$type<(typeof operationKinds)[number]>().notNull(),
    /** No foreign key: the row outlives the repository that it deleted. */
    repositoryId: integer().notNull(),
    /** The source of a fork, which no other operation changes or deletes while the fork runs. */
    sourceRepositoryId: integer().references(() => repositories.id, { onDelete: 'set null' }),
    /** Storage of the repository, and the repository's epoch, when the operation began; null in rows of releases before them. */
    storageId: uuid(),
    epoch: bigint({ mode: 'number' }),
    /** The storage to which the operation copies its repository. */
    targetStorageId: uuid(),
    /**
     * Whether no other operation may run on the repository. A move copies beside others, and excludes them at its end;
     * a maintenance excludes them for moments, and a verification only for a repair.
     */
    exclusive: boolean().notNull().default(true),
    /** No foreign key either: deleting a user does not rewrite that user's operations. */
    actorId: integer(),
    /** Input of the runner beside the repository's row. */
    request: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
    state: text().$type<'running' | 'done' | 'failed'>().notNull(),
    worker: text(),
    leaseUntil: instant(),
    attempt: integer().notNull().default(0),
    /** Number of attempts that ended because their worker was told to stop. */
    handovers: integer().notNull().default(0),
    cancelRequestedAt: instant(),
    /** Null before any progress is known, and after the end of the operation. */
    progress: jsonb().$type<OperationProgress>(),
    /** The client's error text; for a fork also the reason, which the client does not receive. */
    error: text(),
    createdAt: insertedAt(),
    startedAt: instant(),
    finishedAt: instant(),
  },
  (table) => [
    check('operations_state', sql`${table.state} in ('running', 'done', 'failed')`),
    uniqueIndex('operations_one_running')
      .on(table.repositoryId)
      .where(sql`state = 'running' and exclusive`),
    uniqueIndex('operations_one_move')
      .on(table.repositoryId)
      .where(sql`state = 'running' and kind = 'move'`),
    uniqueIndex('operations_one_maintenance')
      .on(table.repositoryId)
      .where(sql`state = 'running' and kind = 'maintain'`),
    index('operations_unfinished_of_storage')
      .on(table.storageId, table.createdAt)
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
