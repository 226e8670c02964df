import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { insertedAt } from './columns.ts';

/** The audit log: every call that changed something or was to, written in the transaction of the change. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The id of the call, and of the operation that the call began, if any. */
    requestId: uuid().notNull().unique('audit_log_request_id_unique'),
    at: insertedAt(),
    /** No foreign key: the row outlives the user. */
    actorId: integer().notNull(),
    /** The username at the time of the call. */
    actor: text().notNull(),
    /** The repository that the call concerned or created; no foreign key either. */
    repositoryId: integer(),
    ip: text().notNull(),
    method: text().notNull(),
    /** The arguments as sent, without those unknown to the method and without secrets. */
    args: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
    outcome: text().$type<'running' | 'succeeded' | 'failed'>().notNull(),
    /** The error text that the client got. */
    error: text(),
  },
  (table) => [
    check('audit_log_outcome', sql`${table.outcome} in ('running', 'succeeded', 'failed')`),
    index().on(table.actorId, table.id),
    index('audit_log_of_repository')
      .on(table.repositoryId, table.id)
      .where(sql`repository_id is not null`),
    index().on(table.method, table.outcome, table.id),
  ],
);

/** Calls that failed before they began an operation, which `list_operations` shows: kept as long as their entries. */
export const failedStarts = pgTable(
  'failed_starts',
  {
    requestId: uuid().primaryKey(),
    at: insertedAt(),
    actorId: integer().notNull(),
  },
  (table) => [index().on(table.at, table.requestId), index().on(table.actorId, table.at, table.requestId)],
);
