import { AuthenticationError, BusyError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { limitRate, RateLimitedError, type RateLimit } from './rate-limit.ts';

function setUp(limit: RateLimit = { perSecond: 10, burst: 5 }) {
  const clock = { time: 1_000, now: () => clock.time, async sleep() {} };
  const authenticate = limitRate(
    async (apiKey) => {
      if (typeof apiKey !== 'number') throw new AuthenticationError('Invalid API key');
      return { apiKeyId: apiKey, userId: 3, username: 'ann', admin: false, limitedTo: null };
    },
    clock,
    limit,
  );
  /** Returns how many of `calls` concurrent calls are accepted. */
  const accepted = async (calls: number, key = 7) => {
    const ended = await Promise.allSettled(Array.from({ length: calls }, () => authenticate(key, '192.0.2.1')));
    return ended.filter(({ status }) => status === 'fulfilled').length;
  };
  return { clock, authenticate, accepted };
}

describe('limitRate', () => {
  it('accepts a burst, then `perSecond` calls a second', async () => {
    const { clock, accepted } = setUp();
    expect(await accepted(20)).toBe(5);
    for (let second = 0; second < 3; second += 1) {
      let count = 0;
      for (let step = 0; step < 40; step += 1) {
        clock.time += 25;
        count += await accepted(1);
      }
      expect(count).toBe(10);
    }
    clock.time += 60_000;
    expect(await accepted(20)).toBe(5);
  });

  it('refuses with the text of BusyError and the seconds until a retry', async () => {
    const { authenticate, accepted } = setUp({ perSecond: 1, burst: 3 });
    await accepted(3);
    const error = await authenticate(7, '').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toBeInstanceOf(BusyError);
    expect(error).toMatchObject({ message: 'Service is busy, try again later', retryAfterSeconds: 1 });
  });

  it('counts the calls of each key separately, with thousands of keys in use', async () => {
    const { accepted } = setUp({ perSecond: 1, burst: 1 });
    expect(await accepted(2, 7)).toBe(1);
    for (let key = 10; key < 9_000; key += 1) expect(await accepted(1, key)).toBe(1);
    expect(await accepted(1, 7)).toBe(0);
  });

  it('does not count a call whose key is refused', async () => {
    const { authenticate, accepted } = setUp({ perSecond: 1, burst: 1 });
    await expect(authenticate('wrong', '')).rejects.toThrow('Invalid API key');
    expect(await accepted(1)).toBe(1);
  });

  it('limits nothing at 0 calls a second', async () => {
    expect(await setUp({ perSecond: 0, burst: 1 }).accepted(1_000)).toBe(1_000);
  });
});
