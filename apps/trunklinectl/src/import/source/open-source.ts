import { isPostgresUrl, withPostgres } from './open-postgres.ts';
import { withSqlite } from './open-sqlite.ts';
import type { SourceDatabase } from './source-database.ts';

/** Runs `act` with the database of the other program: a URL of Postgres, or the path of an SQLite file. */
export function withSource<T>(database: string, act: (source: SourceDatabase) => Promise<T>): Promise<T> {
  if (isPostgresUrl(database)) return withPostgres(database, act);
  // SQLAlchemy's URL of a file has three slashes before a relative path, and four before an absolute one.
  return withSqlite(database.replace(/^sqlite:\/\/\//, ''), act);
}
