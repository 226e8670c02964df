import { setMaxListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createBodySlices } from './body-slices.ts';

it('A2 addresses take turns, whatever the number of their bodies', async () => {
  const takeSlice = createBodySlices(1);
  const order: string[] = [];
  const wait = async (source: string, name: string) => {
    await takeSlice({ source, timeoutMs: 20_000, signal: new AbortController().signal });
    order.push(name);
  };
  await Promise.all([
    wait('192.0.2.1', 'first of 1'),
    wait('192.0.2.1', 'second of 1'),
    wait('192.0.2.1', 'third of 1'),
    wait('192.0.2.2', 'first of 2'),
  ]);
  expect(order).toEqual(['first of 1', 'second of 1', 'first of 2', 'third of 1']);
});

it('A2 the bodies of one address that wait leave most of the queue to others', async () => {
  const takeSlice = createBodySlices(1_000_000);
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  const waiting: Promise<unknown>[] = [];
  const wait = async (source: string) => {
    const slice = takeSlice({ source, timeoutMs: 1_000_000, signal: left.signal });
    waiting.push(slice);
    const outcome = slice.then(
      () => 'has its slice',
      () => 'is refused',
    );
    return Promise.race([outcome, new Promise(setImmediate).then(() => 'waits')]);
  };
  expect(await wait('192.0.2.1')).toBe('has its slice');
  const own = await Promise.all(Array.from({ length: 257 }, () => wait('192.0.2.1')));
  expect([own.indexOf('is refused'), own.filter((outcome) => outcome === 'waits').length]).toEqual([256, 256]);
  expect(await wait('192.0.2.2')).toBe('waits');
  left.abort();
  await Promise.allSettled(waiting);
});
