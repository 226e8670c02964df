import { BusyError } from '@trunkline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { createLookUpThrottle, createPasswordThrottle } from './guess-throttles.ts';

function setUp() {
  const clock = {
    time: 1_000_000,
    waits: [] as number[],
    now: () => clock.time,
    async sleep(ms: number) {
      clock.waits.push(ms);
    },
  };
  const throttle = createLookUpThrottle(clock);
  const look = async (address: string, good = false): Promise<'found' | 'unknown' | 'busy'> => {
    try {
      const found = await throttle.run(
        address,
        async () => good,
        (value) => value,
      );
      return found ? 'found' : 'unknown';
    } catch (error) {
      if (error instanceof BusyError) return 'busy';
      throw error;
    }
  };
  const fail = (times: number, address: string) => Promise.all(Array.from({ length: times }, () => look(address)));
  return { clock, look, fail };
}

describe('createLookUpThrottle', () => {
  it('B4 lets a burst of failures through at full speed', async () => {
    const { clock, fail } = setUp();
    expect(new Set(await fail(50, '1.1.1.1'))).toEqual(new Set(['unknown']));
    expect(clock.waits).toEqual([]);
  });

  it('B4 delays failures beyond the burst, and refuses as busy those that would wait too long', async () => {
    const { clock, fail } = setUp();
    const seen = await fail(1_000, '1.1.1.1');
    expect(seen.filter((one) => one === 'unknown')).toHaveLength(80);
    expect(seen.filter((one) => one === 'busy')).toHaveLength(920);
    expect(clock.waits).toEqual(Array.from({ length: 30 }, (_, index) => (index + 1) * 100));
  });

  it('B4 only delays a good key from the same address', async () => {
    const { clock, look, fail } = setUp();
    await fail(60, '1.1.1.1');
    expect(await look('1.1.1.1', true)).toBe('found');
    expect(clock.waits.at(-1)).toBe(1_100);
  });

  it('B4 does not delay another address', async () => {
    const { look, fail } = setUp();
    await fail(1_000, '1.1.1.1');
    expect(await look('1.1.1.2')).toBe('unknown');
  });

  it('B4 counts a /64 of IPv6 as one source', async () => {
    const { look, fail } = setUp();
    await fail(1_000, '2001:db8::1');
    expect(await look('2001:db8::ffff:1')).toBe('busy');
    expect(await look('2001:db8:0:1::1')).toBe('unknown');
  });

  it('B4 throttles a typed name that looks like an address with a zone', async () => {
    const { look, fail } = setUp();
    await fail(1_000, 'fe80::1%a-b');
    expect(await look('fe80::1%a-b')).toBe('busy');
    expect(await look('fe80::1%c')).toBe('unknown');
  });

  it('charges nothing for look-ups that succeed', async () => {
    const { clock, look } = setUp();
    for (let count = 0; count < 500; count += 1) expect(await look('1.1.1.1', true)).toBe('found');
    expect(clock.waits).toEqual([]);
  });

  it('refuses no good key among a thousand concurrent calls', async () => {
    const { clock, look } = setUp();
    const seen = await Promise.all(Array.from({ length: 1_000 }, () => look('1.1.1.1', true)));
    expect(new Set(seen)).toEqual(new Set(['found']));
    expect(clock.waits).toEqual([]);
  });

  it('delays nothing when the last failures are long enough ago', async () => {
    const { clock, look, fail } = setUp();
    await fail(1_000, '1.1.1.1');
    clock.time += 8_000;
    clock.waits.length = 0;
    expect(await look('1.1.1.1')).toBe('unknown');
    expect(clock.waits).toEqual([]);
  });

  it('B4 refuses as busy a look-up that waits too long for earlier ones of its source', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const throttle = createLookUpThrottle(systemClock);
      const run = (lookUp: () => Promise<boolean>) => throttle.run('1.1.1.1', lookUp, (found) => found);
      for (let count = 0; count < 50; count += 1) void run(() => new Promise<never>(() => {}));
      const outcome = run(async () => true).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await outcome).toBeInstanceOf(BusyError);
    } finally {
      vi.useRealTimers();
    }
  });
});

const wrong = new Error('wrong');

/** Creates a throttle whose delays pass at once, and a function that guesses and returns `wrong`, `busy` or `right`. */
function setUpPasswords() {
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
  const { waits, guess } = setUpPasswords();
  const answers = await Promise.all(Array.from({ length: 30 }, () => guess(1)));
  expect(answers.filter((answer) => answer === 'wrong')).toHaveLength(10);
  expect(answers.filter((answer) => answer === 'busy')).toHaveLength(20);
  expect(waits).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
});

it('B4 wrong passwords of a session delay no other session of the user', async () => {
  const { waits, guess } = setUpPasswords();
  for (let count = 0; count < 30; count += 1) await guess(1);
  waits.length = 0;
  expect(await guess(2, true)).toBe('right');
  expect(waits).toEqual([]);
  expect(await guess(1, true)).toBe('busy');
});
