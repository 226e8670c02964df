import { RefusedError } from '../../errors.ts';
import { isPostgresUrl, withPostgres } from './open-postgres.ts';
import { withSqlite } from './open-sqlite.ts';
import type { SourceDatabase } from './source-database.ts';

/** Limits of what is read in all, since it is kept in memory. */
const readMax = { rows: 4_000_000, bytes: 2 ** 29 };

/** Refuses a table before the rows that have been read and its own are too many, or too large. */
export function limitReads(source: SourceDatabase, max = readMax): SourceDatabase {
  const read = { rows: 0, bytes: 0 };
  return {
    ...source,
    async rows(table, columns) {
      const size = await source.size(table, columns);
      for (const unit of ['rows', 'bytes'] as const) {
        read[unit] += size[unit];
        if (read[unit] > max[unit])
          throw new RefusedError(`with the table \`${table}\`, more than ${max[unit]} ${unit} are to be read`);
      }
      return source.rows(table, columns);
    },
  };
}

/** Runs `act` with the database of the other program: a URL of Postgres, or the path of an SQLite file. */
export function withSource<T>(database: string, act: (source: SourceDatabase) => Promise<T>): Promise<T> {
  const limited = (source: SourceDatabase) => act(limitReads(source));
  if (isPostgresUrl(database)) return withPostgres(database, limited);
  // SQLAlchemy's URL of a file has three slashes before a relative path, and four before an absolute one.
  return withSqlite(database.replace(/^sqlite:\/\/\//, ''), limited);
}
