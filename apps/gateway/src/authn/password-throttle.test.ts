import { BusyError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { createPasswordThrottle } from './password-throttle.ts';

const wrong = new Error('wrong');

/** Creates a throttle whose delays pass at once, and a function that guesses and returns `wrong`, `busy` or `right`. */
function setUp() {
  const waits: number[] = [];
  const clock = { now: () => 1_000_000, sleep: async (ms: number) => void waits.push(ms) };
  const throttle = createPasswordThrottle(clock);
  const guess = (sessionId: number, isRight = false) =>
    throttle(sessionId, () => (isRight ? Promise.resolve() : Promise.reject(wrong))).then(
      () => 'right',
      (error: unknown) => (error === wrong ? 'wrong' : error instanceof BusyError ? 'busy' : error),
    );
  return { waits, guess };
}

it('B4 wrong passwords of a session are slowed down to one a second, and then refused as busy', async () => {
  const { waits, guess } = setUp();
  const answers = await Promise.all(Array.from({ length: 30 }, () => guess(1)));
  expect(answers.filter((answer) => answer === 'wrong')).toHaveLength(10);
  expect(answers.filter((answer) => answer === 'busy')).toHaveLength(20);
  expect(waits).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
});

it('B4 wrong passwords of a session delay no other session of the user', async () => {
  const { waits, guess } = setUp();
  for (let count = 0; count < 30; count += 1) await guess(1);
  waits.length = 0;
  expect(await guess(2, true)).toBe('right');
  expect(waits).toEqual([]);
  expect(await guess(1, true)).toBe('busy');
});
