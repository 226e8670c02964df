import { open, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import initSqlJs, { type SqlValue } from 'sql.js';
import { UsageError } from '../../errors.ts';
import type { SourceDatabase } from './source-database.ts';

/** The file is read whole, by a build of SQLite that works in memory. */
const bytesMax = 1024 ** 3;

const triesMax = 10;
const pauseMs = 200;
/** Bytes with which the file beside it begins while a transaction is written; it may stay afterwards, with zeros. */
const transactionBegins = 'd9d505f920a163d7';

/** Returns whether a transaction is being written, or was cut off: the database has a part of it, and a file beside it the rest. */
async function hasTransaction(path: string): Promise<boolean> {
  const file = await open(`${path}-journal`).catch(() => null);
  try {
    const read = await file?.read(Buffer.alloc(8), 0, 8, 0);
    return read?.buffer.toString('hex', 0, read.bytesRead) === transactionBegins;
  } finally {
    await file?.close();
  }
}

async function statFile(path: string) {
  const found = await stat(path).catch((cause: unknown) => {
    throw new UsageError(`the database ${path} cannot be read`, { cause });
  });
  if (!found.isFile()) throw new UsageError(`the database ${path} is no file`);
  if (found.size > bytesMax) throw new UsageError(`the database ${path} has more than ${bytesMax} bytes`);
  return found;
}

/** Reads the file as of one moment, although the other program may write to it. */
async function readWhole(path: string): Promise<Buffer> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (tries > 0) await sleep(pauseMs);
    const before = await statFile(path);
    const log = await stat(`${path}-wal`).catch(() => null);
    if (log && log.size > 0) {
      throw new UsageError(
        `the database ${path} has changes in ${path}-wal: stop the program, or run \`PRAGMA wal_checkpoint\``,
      );
    }
    if (await hasTransaction(path)) continue;
    const bytes = await readFile(path);
    const after = await statFile(path);
    const isSame = after.mtimeMs === before.mtimeMs && after.size === bytes.length;
    if (isSame && !(await hasTransaction(path))) return bytes;
  }
  throw new UsageError(`the database ${path} is always written to: stop the program, or give a copy of a moment`);
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
