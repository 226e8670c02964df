import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { insertedAt, instant } from './columns.ts';

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

/** How many failed calls each caller has made in the minute that began at `since`. */
export const refusalCounts = pgTable(
  'refusal_counts',
  {
    /** No foreign key, as in the audit log. */
    actorId: integer().primaryKey(),
    since: instant().notNull(),
    count: integer().notNull(),
    /** Request id of the entry of the audit log that counts the minute's further refusals; null while there is none. */
    countedIn: uuid(),
  },
  (table) => [index().on(table.since)],
);

/** Failed calls without an entry of their own in the audit log, for as long as their commands could be replayed. */
export const countedRefusals = pgTable(
  'counted_refusals',
  {
    requestId: uuid().primaryKey(),
    at: insertedAt(),
    actorId: integer().notNull(),
    method: text().notNull(),
    /** The beginning of the error text that the client got. */
    error: text().notNull(),
  },
  (table) => [index().on(table.at)],
);

/**
 * Clones and fetches by clients: how many of one user from one repository began within ten minutes. No foreign keys: a
 * repository that a transaction holds would keep the counts of all others waiting.
 */
export const clientFetches = pgTable(
  'client_fetches',
  {
    /** A number of the audit log, so that entries of both are in one order. */
    id: bigint({ mode: 'number' }).primaryKey(),
    /** The time of the first one. */
    at: insertedAt(),
    /** Number of the ten minutes since 1970. */
    period: integer().notNull(),
    actorId: integer().notNull(),
    /** The username at that time. */
    actor: text().notNull(),
    repositoryId: integer().notNull(),
    count: integer().notNull(),
  },
  (table) => [
    unique('client_fetches_of_period').on(table.period, table.repositoryId, table.actorId),
    index().on(table.repositoryId, table.id),
  ],
);
