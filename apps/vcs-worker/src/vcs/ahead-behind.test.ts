import { expect, it, vi } from 'vitest';
import { countAheadBehind } from './ahead-behind.ts';

/** Counts in a history of lines, which come divided anywhere. */
async function count(lines: readonly string[], base: string, rawIds: readonly string[]) {
  const read = vi.fn<() => void>();
  async function* parentLines() {
    for (const line of lines) {
      read();
      yield Buffer.from(line.slice(0, 1));
      yield Buffer.from(`${line.slice(1)}\n`);
    }
  }
  const { signal } = new AbortController();
  const counted = await countAheadBehind({ parentLines }, '/r', { base, rawIds, until: signal });
  return { counted, read: read.mock.calls.length };
}

/** `a` is the oldest; `main` is f, `side` e has left it at b and was merged into it before e, `other` g begins alone. */
const lines = ['g ', 'f d c', 'e c', 'd b', 'c b', 'b a', 'a 0000000000000000000000000000000000000000'];

it('counts what only the changeset reaches, and what only the base reaches', async () => {
  const { counted } = await count(lines, 'f', ['e', 'f', 'g', 'b', 'e']);
  expect(Object.fromEntries(counted ?? [])).toEqual({
    e: { ahead: 1, behind: 2 },
    f: { ahead: 0, behind: 0 },
    g: { ahead: 1, behind: 5 },
    b: { ahead: 0, behind: 3 },
  });
});

it('reads no further than to what all have in common', async () => {
  const { counted, read } = await count(lines.slice(1), 'f', ['e']);
  expect([counted?.get('e'), read]).toEqual([{ ahead: 1, behind: 2 }, 4]);
  expect(await count(lines, 'f', ['f'])).toEqual({ counted: new Map([['f', { ahead: 0, behind: 0 }]]), read: 0 });
});

it('counts among more changesets than sets are kept of', async () => {
  const heads = Array.from({ length: 150 }, (_, index) => `h${index}`);
  const chain = Array.from({ length: 12_000 }, (_, index) => `m${index} m${index + 1}`);
  // Each pair of heads reaches changesets of its own.
  const pairs = heads.map((head, at) =>
    [
      head,
      ...heads.slice(0, at).map((other) => other + head),
      ...heads.slice(at + 1).map((other) => head + other),
      'm0',
    ].join(' '),
  );
  const shared = heads.flatMap((head, at) => heads.slice(at + 1).map((other) => `${head}${other} m11999`));
  const { counted } = await count([...pairs, ...shared, ...chain], 'm0', heads);
  expect(heads.map((head) => counted?.get(head))).toEqual(heads.map(() => ({ ahead: 150, behind: 0 })));
});

it('gives up a history that is too wide', async () => {
  const wide = Array.from({ length: 200_100 }, (_, index) => `p${index}`).join(' ');
  expect((await count([`x ${wide}`], 'y', ['x'])).counted).toBeNull();
});
