import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import type { ExtractTablesWithRelations } from 'drizzle-orm';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import postgres from 'postgres';

export type Database = PostgresJsDatabase;
export type Transaction = PgTransaction<
  PostgresJsQueryResultHKT,
  Record<string, never>,
  ExtractTablesWithRelations<Record<string, never>>
>;

/** The handle a query runs on: the pool or an open transaction. */
export type Db = Database | Transaction;

export interface OpenDatabase {
  readonly db: Database;
  close(): Promise<void>;
}

/** Shorter than the time limit of any lane, so that a call that waits for a row is refused in time. */
const lockTimeoutMs = 2_000;
/** Longer than any command that a transaction waits for; Postgres then ends the transaction of a frozen process. */
const idleInTransactionTimeoutMs = 60_000;

/**
 * A small pool (2-4 connections serve best, the driver pipelines). A statement that runs longer than
 * `statementTimeoutMs`, or waits longer for a lock, fails; closing waits at most five seconds for what is running.
 */
export function openDatabase(
  url: string,
  options: { connectionsMax: number; name: string; statementTimeoutMs?: number },
): OpenDatabase {
  const client = postgres(url, {
    max: options.connectionsMax,
    connect_timeout: 5,
    // Queries wait for the next attempt to connect: keep attempts close, so that they fail soon.
    backoff: () => 0.05,
    // Notices of the server (existing schema, truncated names) are not logged.
    onnotice: () => {},
    connection: {
      application_name: options.name,
      statement_timeout: options.statementTimeoutMs ?? 30_000,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    },
  });
  return { db: drizzle(client, { casing: 'snake_case' }), close: () => client.end({ timeout: 5 }) };
}
