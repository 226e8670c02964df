import type { Database, Db, Transaction } from '@trunkline/db';
import type { Access } from '../authz/authorize.ts';
import { EncodedReply } from '../cache/reply-cache.ts';

/** Result that is a list of more than one page. Each page is read when the previous one has been taken. */
export class LongList<Entry> {
  /** Lists of other entries are other types. */
  declare readonly entryType?: Entry;
  /** The entries of each page, as JSON. */
  readonly pages: AsyncIterable<string>;

  constructor(pages: AsyncIterable<string>) {
    this.pages = pages;
  }
}

/** Reads in one transaction, all of whose statements see the database as the first one does. */
export function inSnapshot<T>(db: Database, read: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}

/** The rows that one page of a whole list has; a list of no more rows and bytes is answered in one piece. */
export const pageRows = 2_000;
/** Bytes of one page as it is encoded; it ends with the row that reaches them. */
export const pageBytes = 4 * 1024 * 1024;
/** Rows that are read before it is known how large they are. */
const firstRows = 100;

export interface ListPage<Key> {
  readonly limit: number;
  /** Key of the last row of the previous page; null for the first page. */
  readonly cursor: Key | null;
}

export interface EncodedPage<Key, Entry> {
  readonly entryType?: Entry;
  /** The list of the entries, as JSON. */
  readonly json: string;
  readonly count: number;
  /** Key of the last entry; null at the end of the list. */
  readonly last: Key | null;
}

interface PageSource<Key, Entry> {
  /** Reads at most `limit` entries, and fewer where they have `pageBytes`, for the caller of `access`. */
  readonly readPage: (db: Db, access: Access, page: ListPage<Key>) => Promise<EncodedPage<Key, Entry>>;
  /** Whether a page needs no transaction, since each of its statements reads the rights, too. */
  readonly readsRights?: boolean;
}

export interface ListSource<Row, Key, Entry> {
  /** Reads rows in the order of their keys, in a transaction that sees one snapshot. */
  readonly read: (tx: Db, access: Access, page: ListPage<Key>) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => Key;
  readonly toEntry: (row: Row, access: Access) => Entry;
}

/**
 * Reads and encodes one page: rows until there are `rowsMax`, or they have `pageBytes`. The first rows show how many more may
 * be read at once, so that hardly more than a page is in memory.
 */
async function encodeRows<Row, Key, Entry>(
  tx: Db,
  access: Access,
  { read, keyOf, toEntry }: ListSource<Row, Key, Entry>,
  { limit: rowsMax, cursor }: ListPage<Key>,
): Promise<EncodedPage<Key, Entry>> {
  const entries: string[] = [];
  let bytes = 0;
  let last = cursor;
  for (let size = firstRows; ;) {
    const limit = Math.min(size, rowsMax - entries.length);
    // One row more shows whether the list goes on.
    const rows = await read(tx, access, { limit: limit + 1, cursor: last });
    for (const row of rows.slice(0, limit)) {
      const entry = JSON.stringify(toEntry(row, access));
      entries.push(entry);
      last = keyOf(row);
      bytes += Buffer.byteLength(entry);
      if (bytes >= pageBytes) break;
    }
    const isFull = bytes >= pageBytes || entries.length >= rowsMax;
    const isEnd = rows.length <= limit && bytes < pageBytes;
    if (isFull || isEnd) return { json: `[${entries.join(',')}]`, count: entries.length, last: isEnd ? null : last };
    size = Math.max(1, Math.floor((pageBytes - bytes) / (bytes / entries.length)));
  }
}

/** The caller, whose rights each page reads again. */
export interface Reader {
  readonly db: Database;
  readonly access: Access;
  readonly authorize: (db: Db) => Promise<Access>;
}

/**
 * Reads a list, or as many entries of it as the client asks for: in one piece up to a page, and else page by page. Between two
 * pages nothing is held but the key of the last row, and each page after the first reads the caller's rights again, in the
 * snapshot of its rows.
 */
export async function readEncodedList<Key, Entry>(
  { db, access, authorize }: Reader,
  { limit, cursor }: { readonly limit: number | null; readonly cursor: Key | null },
  { readPage, readsRights }: PageSource<Key, Entry>,
): Promise<EncodedReply | LongList<Entry>> {
  const entriesMax = limit ?? Infinity;
  const readFirst = (from: Db) => readPage(from, access, { limit: Math.min(pageRows, entriesMax), cursor });
  const first = await (readsRights ? readFirst(db) : inSnapshot(db, readFirst));
  if (first.last === null || first.count >= entriesMax) return new EncodedReply(Buffer.from(first.json));

  async function* pages(): AsyncGenerator<string> {
    let left = entriesMax;
    for (let page = first; ;) {
      yield page.json;
      left -= page.count;
      const { last } = page;
      if (last === null || left <= 0) return;
      page = await inSnapshot(db, async (tx) =>
        readPage(tx, await authorize(tx), { limit: Math.min(pageRows, left), cursor: last }),
      );
    }
  }
  return new LongList(pages());
}

/** As `readEncodedList`, of rows. */
export function readList<Row, Key, Entry>(
  reader: Reader,
  page: { readonly limit: number | null; readonly cursor: Key | null },
  source: ListSource<Row, Key, Entry>,
): Promise<EncodedReply | LongList<Entry>> {
  return readEncodedList(reader, page, { readPage: (tx, access, part) => encodeRows(tx, access, source, part) });
}

/** Returns a page of rows, of which one more than the limit was read, and the cursor of the next page. */
export function cutPage<Row>(rows: readonly Row[], limit: number, nameOf: (row: Row) => string) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: rows.length > limit && last !== undefined ? nameOf(last) : null };
}
