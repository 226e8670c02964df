import { expect, it } from 'vitest';
import { createBodyTurns } from './body-turns.ts';

it('A2 addresses take turns, whatever the number of their bodies', async () => {
  const takeTurn = createBodyTurns(1);
  const order: string[] = [];
  const wait = async (source: string, name: string) => {
    await takeTurn({ source, timeoutMs: 20_000, signal: new AbortController().signal });
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
