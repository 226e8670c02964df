import type { Db } from '@trunkline/db';
import type { Access } from '../authz/authorize.ts';
import type { ReadContext } from '../methods/context.ts';
import { inSnapshot } from './in-snapshot.ts';
import { LongList } from './long-list.ts';

/** The rows that one page of a whole list has; a list of no more rows is answered in one piece. */
export const pageRows = 500;

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

/**
 * Reads a list: the page that the client asks for or, without a limit, the whole list, page by page. Between two pages
 * nothing is held but the key of the last row, and each page after the first reads the caller's rights again, in the
 * snapshot of its rows.
 */
export async function readList<Row, Key, Entry>(
  { db, access, authorize }: Pick<ReadContext, 'db' | 'access' | 'authorize'>,
  { limit, cursor }: { readonly limit: number | null; readonly cursor: Key | null },
  { read, keyOf, toEntry }: ListSource<Row, Key, Entry>,
): Promise<Entry[] | LongList<Entry>> {
  const readFirst = (rowsMax: number) => inSnapshot(db, (tx) => read(tx, access, { limit: rowsMax, cursor }));
  const toEntries = (rows: readonly Row[], reader: Access) => rows.map((row) => toEntry(row, reader));
  const first = await readFirst(limit ?? pageRows + 1);
  if (limit !== null || first.length <= pageRows) return toEntries(first, access);

  const readAfter = (last: Key) =>
    inSnapshot(db, async (tx) => {
      const reader = await authorize(tx);
      const rows = await read(tx, reader, { limit: pageRows, cursor: last });
      return { rows, entries: toEntries(rows, reader) };
    });
  async function* pages(rows: readonly Row[], entries: readonly Entry[]): AsyncGenerator<readonly Entry[]> {
    for (let page = { rows, entries }; ;) {
      const last = page.rows.at(-1);
      if (last === undefined) return;
      yield page.entries;
      if (page.rows.length < pageRows) return;
      page = await readAfter(keyOf(last));
    }
  }
  const shown = first.slice(0, pageRows);
  return new LongList(pages(shown, toEntries(shown, access)));
}
