import { expect, it } from 'vitest';
import { AddressRateError, limitAddresses } from './address-rate.ts';

function setUp(perSecond: number) {
  const clock = { ms: 0, now: () => clock.ms };
  return { clock, requireRate: limitAddresses(clock, { perSecond, burst: 2 }) };
}

it('B4 refuses what one address asks for beyond its burst and its rate, and says when to come back', () => {
  const { clock, requireRate } = setUp(2);
  for (let request = 0; request < 2; request += 1) requireRate('192.0.2.1');
  expect(() => requireRate('192.0.2.1')).toThrow(AddressRateError);
  requireRate('192.0.2.2');
  clock.ms += 500;
  requireRate('192.0.2.1');
  expect(() => requireRate('192.0.2.1')).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
});

it('B4 counts all addresses of a /64 as one', () => {
  const { requireRate } = setUp(1);
  requireRate('2001:db8::1');
  requireRate('2001:db8::ffff:1');
  expect(() => requireRate('2001:db8::2')).toThrow(AddressRateError);
  requireRate('2001:db8:0:1::1');
});

it('has no limit with the rate 0', () => {
  const { requireRate } = setUp(0);
  expect(() => Array.from({ length: 1_000 }, () => requireRate('192.0.2.1'))).not.toThrow();
});
