import { expect, it } from 'vitest';
import { createLookupAddresses } from './dial.ts';

/** Creates a look-up whose names resolve when `answer` is called with them. */
function setUp(timeoutMs?: number) {
  const asked: string[] = [];
  const answers = new Map<string, (addresses: readonly string[]) => void>();
  const lookup = createLookupAddresses((host) => {
    asked.push(host);
    return new Promise((resolve) => answers.set(host, resolve));
  }, timeoutMs);
  return { asked, lookup, answer: (host: string) => answers.get(host)?.(['192.0.2.1']) };
}

it('E6 names that do not answer hold two threads at most, and others wait for them', async () => {
  const { asked, lookup, answer } = setUp();
  const lookups = ['a', 'b', 'c', 'd'].map(lookup);
  expect(asked).toEqual(['a', 'b']);
  answer('b');
  expect(await lookups[1]).toEqual(['192.0.2.1']);
  await new Promise(setImmediate);
  expect(asked).toEqual(['a', 'b', 'c']);
  // A look-up that waits on would fail in the middle of another test.
  answer('a');
  await lookups[0];
  await new Promise(setImmediate);
  answer('c');
  answer('d');
  await Promise.all(lookups);
});

it('E6 a name whose wait is over is not looked up later', async () => {
  const { asked, lookup, answer } = setUp(1);
  const first = [lookup('a'), lookup('b')];
  await expect(lookup('c')).rejects.toMatchObject({ status: 502 });
  answer('a');
  answer('b');
  await Promise.all(first);
  const next = lookup('d');
  answer('d');
  await next;
  expect(asked).toEqual(['a', 'b', 'd']);
});

it('calls for one name share a look-up', async () => {
  const { asked, lookup, answer } = setUp();
  const both = [lookup('a'), lookup('a')];
  answer('a');
  expect(await Promise.all(both)).toEqual([['192.0.2.1'], ['192.0.2.1']]);
  expect(asked).toEqual(['a']);
});
