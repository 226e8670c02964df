import { AuthenticationError, BusyError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { AddressRateError, limitAddresses, limitRate, RateLimitedError, type RateLimit } from './rate-limit.ts';

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

function setUpAddresses(perSecond: number) {
  const clock = { ms: 0, now: () => clock.ms };
  return { clock, requireRate: limitAddresses(clock, { perSecond, burst: 2 }) };
}

it('B4 refuses what one address asks for beyond its burst and its rate, and says when to come back', () => {
  const { clock, requireRate } = setUpAddresses(2);
  for (let request = 0; request < 2; request += 1) requireRate('192.0.2.1');
  expect(() => requireRate('192.0.2.1')).toThrow(AddressRateError);
  requireRate('192.0.2.2');
  clock.ms += 500;
  requireRate('192.0.2.1');
  expect(() => requireRate('192.0.2.1')).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
});

it('B4 counts all addresses of a /64 as one', () => {
  const { requireRate } = setUpAddresses(1);
  requireRate('2001:db8::1');
  requireRate('2001:db8::ffff:1');
  expect(() => requireRate('2001:db8::2')).toThrow(AddressRateError);
  requireRate('2001:db8:0:1::1');
});

it('has no limit with the rate 0', () => {
  const { requireRate } = setUpAddresses(0);
  expect(() => Array.from({ length: 1_000 }, () => requireRate('192.0.2.1'))).not.toThrow();
});
