import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import { type ExtractTablesWithRelations, sql } from 'drizzle-orm';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import postgres from 'postgres';

export type Database = PostgresJsDatabase;
export type Transaction = PgTransaction<
  PostgresJsQueryResultHKT,
  Record<string, never>,
  ExtractTablesWithRelations<Record<string, never>>
>;

/** Handle on which a query runs: the pool or an open transaction. */
export type Db = Database | Transaction;

export interface OpenDatabase {
  readonly db: Database;
  /** The driver's pool, for a watch of its server. */
  readonly client: postgres.Sql;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly connectionsMax: number;
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  /** Whether a connection serves as long as the program, for a lock of the session; the driver closes old ones otherwise. */
  readonly keepsConnections?: boolean;
}

/** How columns without a name of their own are named. */
export const casing = 'snake_case';

/** Limit of the wait for a lock, unless a pool has its own. */
const defaultLockTimeoutMs = 2_000;
/** Limit of a transaction without a statement; longer than any command that a transaction waits for. */
const idleInTransactionTimeoutMs = 60_000;

/**
 * What Postgres assumes when it plans: rows are in memory or on disks without heads. By default it reads small tables, such
 * as `users`, from end to end for one row, six times in a statement of rights.
 */
export const plannerSettings = { random_page_cost: 1.1 } as const;

/**
 * Opens a small pool (2-4 connections serve best, since the driver pipelines). A statement fails when it runs longer
 * than `statementTimeoutMs` or waits too long for a lock; Postgres ends the idle transaction of a frozen process.
 * `close` waits at most five seconds for running queries.
 */
export function openDatabase(url: string, options: PoolOptions & { readonly name: string }): OpenDatabase {
  const client = postgres(url, {
    max: options.connectionsMax,
    connect_timeout: 5,
    ...(options.keepsConnections === true && { max_lifetime: null }),
    // Queries wait for the next attempt to connect: with short pauses between attempts, queries fail soon.
    backoff: () => 0.05,
    // Notices of the server (existing schema, truncated names) are not logged.
    onnotice: () => {},
    connection: {
      application_name: options.name,
      statement_timeout: options.statementTimeoutMs ?? 30_000,
      lock_timeout: options.lockTimeoutMs ?? defaultLockTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      ...plannerSettings,
    },
  });
  return { db: drizzle(client, { casing }), client, close: () => client.end({ timeout: 5 }) };
}

/** Runs a trivial query. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.execute(sql`select 1`);
}
