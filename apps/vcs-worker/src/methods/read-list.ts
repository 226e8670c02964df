import type { Database, Db, Transaction } from '@trunkline/db';
import type { Access } from '../authz/authorize.ts';

/** Result that is a list of more than one page. Each page is read when the previous one has been taken. */
export class LongList<Entry> {
  readonly pages: AsyncIterable<readonly Entry[]>;

  constructor(pages: AsyncIterable<readonly Entry[]>) {
    this.pages = pages;
  }
}

/** Returns about how many bytes the texts of a value have: those that can make it large. */
export function textBytes(value: unknown): number {
  // Characters beyond ASCII have two to four bytes, so this is the most that they need in memory.
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce<number>((sum, member) => sum + textBytes(member), 8);
}

/** Reads in one transaction, all of whose statements see the database as the first one does. */
export function inSnapshot<T>(db: Database, read: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}

/** The rows that one page of a whole list has; a list of no more rows and bytes is answered in one piece. */
export const pageRows = 500;
/** Bytes of the texts in one page; a page ends with the row that reaches them. */
export const pageBytes = 4 * 1024 * 1024;
/** Rows that are read before it is known how large they are. */
const firstRows = 100;

export interface ListPage<Key> {
  readonly limit: number;
  /** Key of the last row of the previous page; null for the first page. */
  readonly cursor: Key | null;
}

export interface ListSource<Row, Key, Entry> {
  /** Reads the rows of a page in the order of their keys, in a transaction that sees one snapshot. */
  readonly read: (tx: Db, access: Access, page: ListPage<Key>) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => Key;
  readonly toEntry: (row: Row, access: Access) => Entry;
}

/** The caller, whose rights each page reads again. */
export interface Reader {
  readonly db: Database;
  readonly access: Access;
  readonly authorize: (db: Db) => Promise<Access>;
}

interface Page<Key, Entry> {
  readonly entries: Entry[];
  /** Key of the last row; null at the end of the list. */
  readonly last: Key | null;
}

/**
 * Reads one page: rows after `cursor` until there are `rowsMax` or their texts have `pageBytes`. The first rows show how
 * many more may be read at once, so that hardly more than a page is in memory.
 */
async function readPage<Row, Key, Entry>(
  tx: Db,
  access: Access,
  { read, keyOf, toEntry }: ListSource<Row, Key, Entry>,
  { limit: rowsMax, cursor }: ListPage<Key>,
): Promise<Page<Key, Entry>> {
  const entries: Entry[] = [];
  let bytes = 0;
  let last = cursor;
  for (let size = firstRows; entries.length < rowsMax;) {
    const limit = Math.min(size, rowsMax - entries.length);
    const rows = await read(tx, access, { limit, cursor: last });
    for (const row of rows) {
      const entry = toEntry(row, access);
      entries.push(entry);
      last = keyOf(row);
      bytes += textBytes(entry);
      if (bytes >= pageBytes) return { entries, last };
    }
    if (rows.length < limit) return { entries, last: null };
    size = Math.max(1, Math.floor((pageBytes - bytes) / (bytes / entries.length)));
  }
  return { entries, last };
}

/**
 * Reads a list, or as many entries of it as the client asks for: in one piece up to a page, and else page by page. Between two
 * pages nothing is held but the key of the last row, and each page after the first reads the caller's rights again, in the
 * snapshot of its rows.
 */
export async function readList<Row, Key, Entry>(
  { db, access, authorize }: Reader,
  { limit, cursor }: { readonly limit: number | null; readonly cursor: Key | null },
  source: ListSource<Row, Key, Entry>,
): Promise<Entry[] | LongList<Entry>> {
  const entriesMax = limit ?? Infinity;
  const first = await inSnapshot(db, async (tx) => {
    const page = await readPage(tx, access, source, { limit: Math.min(pageRows, entriesMax), cursor });
    if (page.last === null || page.entries.length >= entriesMax) return { ...page, isEnd: true };
    // A full page may also be the last one.
    return { ...page, isEnd: (await source.read(tx, access, { limit: 1, cursor: page.last })).length === 0 };
  });
  if (first.isEnd) return first.entries;

  async function* pages(): AsyncGenerator<readonly Entry[]> {
    let left = entriesMax;
    for (let page: Page<Key, Entry> = first; ;) {
      yield page.entries;
      left -= page.entries.length;
      const { last } = page;
      if (last === null || left <= 0) return;
      page = await inSnapshot(db, async (tx) =>
        readPage(tx, await authorize(tx), source, { limit: Math.min(pageRows, left), cursor: last }),
      );
    }
  }
  return new LongList(pages());
}

/** Returns a page of rows, of which one more than the limit was read, and the cursor of the next page. */
export function cutPage<Row>(rows: readonly Row[], limit: number, nameOf: (row: Row) => string) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: rows.length > limit && last !== undefined ? nameOf(last) : null };
}
