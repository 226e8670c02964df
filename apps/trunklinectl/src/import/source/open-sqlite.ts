import { open, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { toOneLine } from '@trunkline/runtime';
import initSqlJs, { type SqlValue } from 'sql.js';
import { RefusedError, UsageError } from '../../errors.ts';
import type { SourceDatabase, SourceRow } from './read-table.ts';

/** The file is read whole, by a build of SQLite that works in memory. */
const bytesMax = 1024 ** 3;

/** A damaged or hostile file can make a statement of a few words endless. */
const statementMsMax = 120_000;

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

/** Ends a synchronous call, of WebAssembly too, that takes longer; what it called is in no defined state then. */
function withinTime<T>(act: () => T, timeout: number): T {
  let result: { readonly value: T } | undefined;
  try {
    runInNewContext('act()', { act: () => void (result = { value: act() }) }, { timeout });
  } catch (cause) {
    // An error of the other context is no instance of this one's classes.
    const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
    throw code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      ? new Error(`it takes more than ${timeout / 1_000} s`, { cause })
      : cause;
  }
  if (!result) throw new Error('the call has no result');
  return result.value;
}

/** Reads the columns of what is a table that computes none of them; a hostile file may call anything a table. */
function readColumns(select: Select, table: string): string[] {
  const [found] = select(`select type from pragma_table_list('${table}') where schema = 'main'`, ['type']);
  if (!found) return [];
  if (found['type'] !== 'table') throw new RefusedError(`\`${table}\` of the database is no table`);
  const rows = select(`select name, hidden from pragma_table_xinfo('${table}')`, ['name', 'hidden']);
  const computed = rows.find(({ hidden }) => hidden !== '0');
  if (computed) throw new RefusedError(`the column \`${computed['name']}\` of the table \`${table}\` is computed`);
  return rows.map(({ name }) => name ?? '');
}

type Select = (statement: string, names: readonly string[]) => SourceRow[];

/** Runs `act` with an SQLite database, of which a copy in memory is read. */
export async function withSqlite<T>(
  path: string,
  act: (source: SourceDatabase) => Promise<T>,
  statementTimeoutMs = statementMsMax,
): Promise<T> {
  const bytes = await readWhole(path);
  if (bytes.toString('latin1', 0, 15) !== 'SQLite format 3') throw new UsageError(`${path} is no SQLite database`);
  const { Database } = await initSqlJs();
  const database = new Database(bytes);
  const selectOf =
    (table: string): Select =>
    (statement, names) => {
      try {
        const [read] = withinTime(() => database.exec(statement), statementTimeoutMs);
        return (read?.values ?? []).map((values) =>
          Object.fromEntries(names.map((name, at) => [name, toText(values[at] ?? null)])),
        );
      } catch (cause) {
        throw new UsageError(`the table \`${table}\` of ${path} cannot be read: ${toOneLine(cause)}`, { cause });
      }
    };
  const result = await act({
    columns: async (table) => readColumns(selectOf(table), table),
    rows: async (table, columns) =>
      selectOf(table)(`select ${columns.map(quoted).join(', ')} from ${quoted(table)}`, columns),
    async size(table, columns) {
      const length = ['0', ...columns.map((name) => `ifnull(octet_length(${quoted(name)}), 0)`)].join(' + ');
      const statement = `select count(*), ifnull(sum(${length}), 0) from ${quoted(table)}`;
      const [size] = selectOf(table)(statement, ['rows', 'bytes']);
      return { rows: Number(size?.['rows']), bytes: Number(size?.['bytes']) };
    },
  });
  // After an error the program ends.
  database.close();
  return result;
}
