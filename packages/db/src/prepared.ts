import { PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type { SQL } from 'drizzle-orm';
import type { Row } from 'postgres';
import { casing, type Db } from './database.ts';
import { bindOnce } from './bind-once.ts';
import { mapRowsByPlan } from './map-rows.ts';

/** Builds statements. It has no connection, so that a statement without one of its own fails. */
const builder = drizzle.mock({ casing });
const dialect = new PgDialect({ casing });

function clientOf(db: Db): object {
  const { session } = db._;
  if (session instanceof PostgresJsSession) return session.client;
  throw new Error('the database handle is not one of postgres.js');
}

/**
 * Returns a function that gives a query for a pool or a transaction. The query is built once in a process; each
 * connection prepares it once, and has no second round trip to ask for the types of its parameters.
 */
export function prepared<Q extends object>(build: (db: Db) => Q): (db: Db) => Q {
  let built: Q | undefined;
  return (db) => {
    built ??= bindOnce(mapRowsByPlan(build(builder)));
    // A query of drizzle belongs to the connection of its member `client`; text and mapping of rows are the same for all.
    const bound: Q = Object.create(built);
    return Object.assign(bound, { client: clientOf(db) });
  };
}

/** As `prepared`, for plain SQL; rows are objects with the names and values of the driver. */
export function preparedSql(text: SQL) {
  return prepared((db) =>
    db._.session.prepareQuery<{ execute: readonly Row[]; all: unknown; values: unknown }>(
      dialect.sqlToQuery(text),
      undefined,
      'sql',
      false,
    ),
  );
}

/** As `preparedSql`, for SQL with queries of `db` in it; `toRow` makes each row of its values, in the order of the columns. */
export function preparedRows<R>(text: (db: Db) => SQL, toRow: (values: readonly unknown[]) => R) {
  return prepared((db) =>
    db._.session.prepareQuery<{ execute: readonly R[]; all: unknown; values: unknown }>(
      dialect.sqlToQuery(text(db)),
      undefined,
      'rows',
      true,
      (rows) => rows.map(toRow),
    ),
  );
}
