import { describe, expect, it } from 'vitest';
import { EncodedReply } from '../cache/reply-cache.ts';
import { LongList, pageBytes, pageRows, readList, type ListPage, type Reader } from './read-list.ts';

/** A list of rows whose texts have so many characters of two bytes each, and the most of them that were read at once. */
function makeList(rows: number, chars: (id: number) => number) {
  const seen = { readAtOnce: 0, authorized: 0 };
  // The list stands for the database.
  const context = {
    db: { transaction: (read: (tx: object) => unknown) => read({}) },
    access: {},
    authorize: async () => {
      seen.authorized += 1;
      return {};
    },
  } as unknown as Reader;
  const read = async (_tx: unknown, _access: unknown, { limit, cursor }: ListPage<number>) => {
    const first = (cursor ?? 0) + 1;
    const ids = Array.from({ length: Math.max(0, Math.min(limit, rows - first + 1)) }, (_row, at) => first + at);
    const found = ids.map((id) => ({ id, text: 'ä'.repeat(chars(id)) }));
    seen.readAtOnce = Math.max(
      seen.readAtOnce,
      found.reduce((sum, { text }) => sum + 2 * text.length, 0),
    );
    return found;
  };
  const list = (limit: number | null, cursor: number | null = null) =>
    readList(context, { limit, cursor }, { read, keyOf: ({ id }) => id, toEntry: (row) => row });
  return { list, seen };
}

type List = Awaited<ReturnType<ReturnType<typeof makeList>['list']>>;
type Entries = readonly { readonly id: number; readonly text: string }[];

function entriesOf(list: List): Entries {
  if (!(list instanceof EncodedReply)) throw new Error('the list is in pages');
  return JSON.parse(Buffer.from(list.payload).toString());
}

async function pagesOf(list: List): Promise<Entries[]> {
  if (!(list instanceof LongList)) throw new Error('the list is in one piece');
  const pages: Entries[] = [];
  for await (const page of list.pages) pages.push(JSON.parse(page));
  return pages;
}

const idsFrom = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_id, at) => first + at);
const ids = (entries: Entries) => entries.map(({ id }) => id);
const bytesOf = (entries: Entries) => entries.reduce((sum, { text }) => sum + 2 * text.length, 0);

describe('readList', () => {
  it.each([0, 1, 100, 101, pageRows])('answers a list of %i rows in one piece', async (rows) => {
    const { list } = makeList(rows, () => 10);
    expect(ids(entriesOf(await list(null)))).toEqual(idsFrom(1, rows));
  });

  it.each([1, 100, 101, pageRows])('answers the %i entries that the client asks for in one piece', async (limit) => {
    const { list } = makeList(5_000, () => 10);
    expect(ids(entriesOf(await list(limit, 7)))).toEqual(idsFrom(8, 7 + limit));
  });

  it('reads more entries that the client asks for in pages, with the rights of each', async () => {
    const { list, seen } = makeList(9_000, () => 10);
    const pages = await pagesOf(await list(2 * pageRows + 7, 7));
    expect(pages.map(({ length }) => length)).toEqual([pageRows, pageRows, 7]);
    expect(ids(pages.flat())).toEqual(idsFrom(8, 2 * pageRows + 14));
    expect(seen.authorized).toBe(2);
  });

  it.each([
    [pageRows + 1, pageRows + 1],
    [2 * pageRows, 3 * pageRows],
  ])('ends a list of %i rows of which the client asks for %i', async (rows, limit) => {
    const { list } = makeList(rows, () => 10);
    expect(ids((await pagesOf(await list(limit))).flat())).toEqual(idsFrom(1, rows));
  });

  it('reads a list of more rows in pages, with the rights of each', async () => {
    const { list, seen } = makeList(2 * pageRows + 1, () => 10);
    const pages = await pagesOf(await list(null));
    expect(pages.map(({ length }) => length)).toEqual([pageRows, pageRows, 1]);
    expect(ids(pages.flat())).toEqual(idsFrom(1, 2 * pageRows + 1));
    expect(seen.authorized).toBe(2);
  });

  it.each([null, 300])('has few large rows in a page, and in memory, with the limit %s', async (limit) => {
    const chars = 100_000;
    const { list, seen } = makeList(400, () => chars);
    const pages = await pagesOf(await list(limit));
    expect(ids(pages.flat())).toEqual(idsFrom(1, limit ?? 400));
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(pageBytes / (2 * chars) + 1);
    expect(seen.readAtOnce).toBeLessThanOrEqual(101 * 2 * chars);
  });

  it('has large rows after small ones in pages of their own', async () => {
    const { list } = makeList(600, (id) => (id > 200 ? 20_000 : 10));
    const pages = await pagesOf(await list(null));
    expect(ids(pages.flat())).toEqual(idsFrom(1, 600));
    for (const page of pages) expect(bytesOf(page)).toBeLessThan(pageBytes + 50_000);
  });
});
