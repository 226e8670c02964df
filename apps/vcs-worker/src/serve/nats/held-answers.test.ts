import { expect, it } from 'vitest';
import { HeldAnswers } from './held-answers.ts';

const slowMs = 26_000;

function setUp() {
  const clock = { now: 0 };
  const held = new HeldAnswers({ bytesMax: 400, largest: 100 }, () => clock.now);
  const ended: string[] = [];
  const take = (caller: string, bytes: number, name = caller) => {
    const answer = held.take(caller, bytes, () => ended.push(name));
    answer?.sent(1);
    return answer;
  };
  return { clock, held, ended, take };
}

it('E6 gives one caller half of the bytes, and leaves space for the largest answer of another', () => {
  const { held, take } = setUp();
  expect([take('a', 100), take('a', 100), take('a', 1)].map(Boolean)).toEqual([true, true, false]);
  expect([take('b', 50), take('b', 50), take('b', 1)].map(Boolean)).toEqual([true, true, false]);
  expect([take('c', 100), take('d', 1)].map(Boolean)).toEqual([true, false]);
  expect(held.bytes).toBe(400);
});

it('has the bytes back once when an answer has been read', () => {
  const { held, take } = setUp();
  const first = take('a', 100);
  take('a', 100);
  first?.release();
  first?.release();
  expect(held.bytes).toBe(100);
  expect([take('a', 100), take('a', 1)].map(Boolean)).toEqual([true, false]);
});

it('E6 ends slow readers beyond a quarter for another caller who finds no space, and as few as that takes', () => {
  const { clock, held, ended, take } = setUp();
  take('slow', 60, 'slow 1');
  clock.now += 1;
  take('slow', 60, 'slow 2');
  take('slow', 60, 'slow 3');
  take('few', 100);
  take('late', 100);
  clock.now += slowMs;
  // Nobody is ended for a caller who has a whole share.
  expect([take('slow', 21), ended]).toEqual([null, []]);
  expect([Boolean(take('other', 40)), ended]).toEqual([true, ['slow 1']]);
  expect([Boolean(take('third', 80)), ended]).toEqual([true, ['slow 1', 'slow 2']]);
  expect(held.bytes).toBe(380);
});

it('E6 ends no reader who takes ten kilobytes a second, and none up to a quarter', () => {
  const { clock, ended, take } = setUp();
  const [quick, other] = [take('quick', 100), take('quick', 100)];
  take('slow', 100);
  clock.now += slowMs - 1_000;
  quick?.sent(256 * 1_024);
  other?.sent(256 * 1_024);
  clock.now += 1_000;
  expect(take('third', 100)).not.toBeNull();
  expect([take('fourth', 100), ended]).toEqual([null, []]);
});
