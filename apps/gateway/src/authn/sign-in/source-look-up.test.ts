import { expect, it } from 'vitest';
import { SourceLookUp } from './source-look-up.ts';

/** Returns a look-up whose queries the test ends with the known sources, or fails. */
function setUp() {
  const queries: { sources: readonly string[]; end(...known: string[]): void; fail(error: Error): void }[] = [];
  const lookUp = new SourceLookUp(
    (sources) =>
      new Promise((resolve, reject) =>
        queries.push({ sources, end: (...known) => resolve(new Set(known)), fail: reject }),
      ),
  );
  return { lookUp, queries, turn: () => new Promise(setImmediate) };
}

it('asks for all sources that came during a query in the next one', async () => {
  const { lookUp, queries, turn } = setUp();
  const first = lookUp.isKnown('a');
  await turn();
  const later = ['a', 'b', 'c', 'b'].map((source) => lookUp.isKnown(source));
  await turn();
  expect(queries.map(({ sources }) => sources)).toEqual([['a']]);
  queries[0]?.end('a');
  expect(await first).toBe(true);
  await turn();
  expect(queries[1]?.sources).toEqual(['a', 'b', 'c']);
  queries[1]?.end('b');
  expect(await Promise.all(later)).toEqual([false, true, false, true]);
});

it('fails for those alone whose query failed', async () => {
  const { lookUp, queries, turn } = setUp();
  const first = lookUp.isKnown('a');
  await turn();
  const next = lookUp.isKnown('b');
  queries[0]?.fail(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await turn();
  queries[1]?.end('b');
  expect(await next).toBe(true);
});
