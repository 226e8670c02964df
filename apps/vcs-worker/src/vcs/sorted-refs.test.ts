import { describe, expect, it } from 'vitest';
import { SortedRefs, type RefQuery } from './sorted-refs.ts';

const idOf = (number: number) => number.toString(16).padStart(40, '0');
const namedOf = (entries: readonly (readonly [string, number])[]) =>
  new Map(entries.map(([name, number]) => [name, idOf(number)]));

const sorted = () =>
  SortedRefs.of({
    branches: namedOf([
      ['main', 1],
      ['a/b', 2],
    ]),
    bookmarks: namedOf([['here', 1]]),
    tags: namedOf([
      ['v2', 1],
      ['V1', 2],
      ['__proto__', 3],
    ]),
    closedBranches: namedOf([['old', 3]]),
  });

const query = { kind: null, filter: null, cursor: null, limit: 100 };

async function namesOf(refs: SortedRefs, asked: Partial<RefQuery>): Promise<string[]> {
  return (await refs.page({ ...query, ...asked })).refs.map(({ name }) => name);
}

describe('SortedRefs', () => {
  it('lists all references or those of a kind by name, closed branches last', async () => {
    const refs = await sorted();
    expect(await namesOf(refs, {})).toEqual(['a/b', 'main', 'here', 'V1', '__proto__', 'v2', 'old']);
    expect(await namesOf(refs, { kind: 'branch' })).toEqual(['a/b', 'main', 'old']);
    expect(await namesOf(refs, { kind: 'tag', filter: 'v' })).toEqual(['V1', 'v2']);
    expect([refs.count(null), refs.count('branch'), refs.count('bookmark')]).toEqual([7, 3, 1]);
  });

  it.each([1, 2, 3, 7])('pages of %i together are the whole list', async (limit) => {
    const refs = await sorted();
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<SortedRefs['page']>> = await refs.page({ ...query, limit, cursor });
      expect(page.refs.length).toBeLessThanOrEqual(limit);
      names.push(...page.refs.map(({ name }) => name));
      cursor = page.next;
    } while (cursor !== null);
    expect(names).toEqual(await namesOf(refs, {}));
  });

  it('has the references of a kind by position, and knows whether names go on after a text', async () => {
    const refs = await sorted();
    const positions = [0, 1, 2].map((position) => refs.nth('branch', position));
    expect(positions.map(({ name, isClosed }) => [name, isClosed])).toEqual([
      ['a/b', false],
      ['main', false],
      ['old', true],
    ]);
    expect(['a/', 'main/', 'v', 'zz'].map((text) => refs.hasNamesAfter(text))).toEqual([true, false, true, false]);
  });

  it('goes on after a name that is gone', async () => {
    expect(await namesOf(await sorted(), { cursor: '0b' })).toEqual(['main', 'here', 'V1', '__proto__', 'v2', 'old']);
  });

  it('pages go on after names that are too long for a cursor, also after one that is gone', async () => {
    const alike = ['a', 'b', 'c'].map((end) => `${'é'.repeat(4_899)}\u{1F600}${'x'.repeat(500)}${end}`);
    const names = ['0', ...alike, 'é'.repeat(5_000), '\u{1F600}'];
    const none = new Map<string, string>();
    const of = (some: readonly string[]) =>
      SortedRefs.of({
        bookmarks: none,
        branches: namedOf(some.map((name) => [name, 1])),
        closedBranches: none,
        tags: none,
      });
    const refs = await of(names);
    const cursors: (string | null)[] = [null];
    for (const [index, name] of names.toSorted().entries()) {
      const page = await refs.page({ ...query, limit: 1, cursor: cursors[index] ?? null });
      expect(page.refs.map((ref) => ref.name)).toEqual([name]);
      cursors.push(page.next);
    }
    expect(cursors.at(-1)).toBeNull();
    for (const cursor of cursors) {
      expect((cursor ?? '').length).toBeLessThanOrEqual(5_001);
      expect(cursor ?? '').not.toMatch(/\p{Surrogate}/u);
    }
    const gone = await of(names.filter((name) => name !== alike[1]));
    const afterGone = cursors[names.toSorted().indexOf(alike[1] ?? '') + 1] ?? null;
    expect(await namesOf(gone, { cursor: afterGone, limit: 2 })).toEqual(['é'.repeat(5_000), alike[0]]);
  });

  it('finds a reference by its exact name', async () => {
    const refs = await sorted();
    expect(refs.find('branch', 'old')).toEqual({ kind: 'branch', name: 'old', rawId: idOf(3), isClosed: true });
    expect(refs.find('branch', 'v2')).toBeNull();
    expect(refs.find(null, 'v2')?.rawId).toBe(idOf(1));
    expect(refs.find('branch', '')).toBeNull();
  });

  it('finds the references to a changeset, the first ones and their number', async () => {
    const refs = await sorted();
    expect(refs.to(idOf(1), 2)).toMatchObject({ refs: [{ name: 'main' }, { name: 'here' }], count: 3 });
    expect(refs.to(idOf(9), 2)).toEqual({ refs: [], count: 0 });
    expect(refs.to('x', 2)).toEqual({ refs: [], count: 0 });
  });

  it('holds many references of one changeset beside others, each by its own name', async () => {
    const names = Array.from(
      { length: 70_000 },
      (_, index) => [`t${String(index).padStart(6, '0')}`, index % 7] as const,
    );
    const none = new Map<string, string>();
    const refs = await SortedRefs.of({ bookmarks: none, branches: none, closedBranches: none, tags: namedOf(names) });
    expect(refs.to(idOf(3), 1)).toMatchObject({ refs: [{ name: 't000003' }], count: 10_000 });
    expect(await namesOf(refs, { filter: '69999' })).toEqual(['t069999']);
    expect(refs.bytes).toBeLessThan(70_000 * 150);
  });

  it('of an empty repository are none', async () => {
    const none = new Map<string, string>();
    const refs = await SortedRefs.of({ bookmarks: none, branches: none, closedBranches: none, tags: none });
    expect(await refs.page(query)).toEqual({ refs: [], next: null });
    expect(refs.to(idOf(1), 1)).toEqual({ refs: [], count: 0 });
  });
});
