import { describe, expect, it } from 'vitest';
import type { Refs } from './backend.ts';
import { newestFirst, orderedPage } from './ref-order.ts';
import { SortedRefs } from './sorted-refs.ts';

const idOf = (number: number) => number.toString(16).padStart(40, '0');
/** Names of changesets by number; that of a number was made at this time. */
const named = (entries: Readonly<Record<string, number>>) =>
  new Map(Object.entries(entries).map(([name, number]) => [name, idOf(number)]));
const times = new Map(Array.from({ length: 100 }, (_, number) => [idOf(number), number]));

const none: Refs = { bookmarks: new Map(), branches: new Map(), closedBranches: new Map(), tags: new Map() };
const branches = { ...none, branches: named({ a: 2, b: 9, c: 5, main: 1 }), closedBranches: named({ x: 30, y: 40 }) };

interface Asked {
  readonly kind?: 'branch' | 'tag';
  readonly first?: string;
  readonly filter?: string;
  readonly limit?: number;
  readonly cursor?: string | null;
  readonly byName?: boolean;
}

async function page(refs: SortedRefs, asked: Asked = {}) {
  const { kind = 'branch', filter = null, limit = 100, cursor = null, byName = false } = asked;
  const order = byName ? null : await newestFirst(refs, kind, times);
  const first = asked.first === undefined ? null : refs.find(kind, asked.first);
  const found = await orderedPage(refs, { kind, filter, limit, cursor, order, first });
  return { names: found.refs.map(({ name }) => name), next: found.next };
}

async function pages(refs: SortedRefs, asked: Asked): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | null = null;
  do {
    const found: Awaited<ReturnType<typeof page>> = await page(refs, { ...asked, cursor });
    all.push(...found.names);
    cursor = found.next;
  } while (cursor !== null);
  return all;
}

describe('a list of references', () => {
  it('begins with the default one, then has the newest, and the closed ones last', async () => {
    const refs = await SortedRefs.of(branches);
    expect(await page(refs, { first: 'main' })).toEqual({ names: ['main', 'b', 'c', 'a', 'y', 'x'], next: null });
    expect((await page(refs, { first: 'main', byName: true })).names).toEqual(['main', 'a', 'b', 'c', 'x', 'y']);
    expect((await page(refs, { first: 'main', filter: 'A' })).names).toEqual(['main', 'a']);
    expect((await page(refs, { first: 'main', filter: 'b' })).names).toEqual(['b']);
  });

  it.each([1, 2, 3, 6])('pages of %i together are the whole list', async (limit) => {
    const refs = await SortedRefs.of(branches);
    for (const byName of [false, true]) {
      const asked = { first: 'main', byName };
      expect(await pages(refs, { ...asked, limit })).toEqual((await page(refs, asked)).names);
    }
  });

  it('has tags in the order of their versions', async () => {
    const refs = await SortedRefs.of({ ...none, tags: named({ 'v1.9': 8, 'v1.10': 7, nightly: 90 }) });
    expect(await pages(refs, { kind: 'tag', limit: 1 })).toEqual(['nightly', 'v1.10', 'v1.9']);
  });

  it('goes on after the same name when others have come, and at the same index when it is gone', async () => {
    const { next } = await page(await SortedRefs.of(branches), { limit: 2 });
    expect(next).toBe('2:c');
    const more = await SortedRefs.of({ ...branches, branches: named({ a: 2, b: 9, c: 5, new: 50, main: 1 }) });
    expect((await page(more, { cursor: next })).names).toEqual(['a', 'main', 'y', 'x']);
    const fewer = await SortedRefs.of({ ...branches, branches: named({ a: 2, b: 9, main: 1 }) });
    expect((await page(fewer, { cursor: next })).names).toEqual(['a', 'main', 'y', 'x']);
    expect((await page(fewer, { cursor: '999999999:none' })).names).toEqual(['x']);
  });

  it('goes on by the index alone after a name that is too long for a cursor', async () => {
    const long = 'l'.repeat(10_000);
    const refs = await SortedRefs.of({ ...none, branches: named({ [long]: 9, b: 8, c: 7 }) });
    const { next } = await page(refs, { limit: 1 });
    expect(next).toBe('1:');
    expect((await page(refs, { cursor: next })).names).toEqual(['b', 'c']);
  });

  it('of 20,000 tags is sorted once, and paged through, in little time', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`v1.${index}`, index % 100]));
    const refs = await SortedRefs.of({ ...none, tags: named(many) });
    const order = await newestFirst(refs, 'tag', times);
    const query = { kind: 'tag', filter: null, limit: 3, order, first: null } as const;
    const last = await orderedPage(refs, { ...query, cursor: '19997:v1.3' });
    expect([last.refs.map(({ name }) => name), last.next]).toEqual([['v1.2', 'v1.1', 'v1.0'], null]);
  });
});
