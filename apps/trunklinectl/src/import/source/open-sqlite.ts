import { readFile, stat } from 'node:fs/promises';
import initSqlJs, { type SqlValue } from 'sql.js';
import { UsageError } from '../../errors.ts';
import type { SourceDatabase } from './source-database.ts';

/** The file is read whole, by a build of SQLite that works in memory. */
const bytesMax = 1024 ** 3;

async function readWhole(path: string): Promise<Buffer> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new UsageError(`the database ${path} cannot be read`, { cause });
  });
  if (!found.isFile()) throw new UsageError(`the database ${path} is no file`);
  if (found.size > bytesMax) throw new UsageError(`the database ${path} has more than ${bytesMax} bytes`);
  const log = await stat(`${path}-wal`).catch(() => null);
  if (log && log.size > 0) {
    throw new UsageError(
      `the database ${path} has changes in ${path}-wal: stop the program, or run \`PRAGMA wal_checkpoint\``,
    );
  }
  return readFile(path);
}

function toText(value: SqlValue): string | null {
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value);
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Runs `act` with an SQLite database, of which a copy in memory is read. */
export async function withSqlite<T>(path: string, act: (source: SourceDatabase) => Promise<T>): Promise<T> {
  const bytes = await readWhole(path);
  if (bytes.toString('latin1', 0, 15) !== 'SQLite format 3') throw new UsageError(`${path} is no SQLite database`);
  const { Database } = await initSqlJs();
  const database = new Database(bytes);
  const select = (statement: string, names: readonly string[]) =>
    (database.exec(statement)[0]?.values ?? []).map((values) =>
      Object.fromEntries(names.map((name, at) => [name, toText(values[at] ?? null)])),
    );
  try {
    return await act({
      columns: async (table) =>
        select(`select name from pragma_table_info('${table}')`, ['name']).map(({ name }) => name ?? ''),
      rows: async (table, columns) => select(`select ${columns.map(quoted).join(', ')} from ${quoted(table)}`, columns),
      count: async (table) => Number(select(`select count(*) from ${quoted(table)}`, ['count'])[0]?.['count']),
    });
  } finally {
    database.close();
  }
}
