import { expect, it } from 'vitest';
import { callerKey } from './command.ts';

const anonymous = (ip: string) => callerKey({ userId: 1, ip, credential: { kind: 'anonymous' } });

it('E6 a caller is a user, whatever the credential and the address', () => {
  const byKey = callerKey({ userId: 7, ip: '192.0.2.1', credential: { kind: 'key', id: 3 } });
  expect(callerKey({ userId: 7, ip: '2001:db8::1', credential: { kind: 'session', id: 9 } })).toBe(byKey);
  expect(callerKey({ userId: 8, ip: '192.0.2.1', credential: { kind: 'key', id: 3 } })).not.toBe(byKey);
});

it('E6 a caller without credentials is an IPv4 address or an IPv6 /64', () => {
  expect(anonymous('192.0.2.1')).toBe('address 192.0.2.1');
  expect(anonymous('::ffff:192.0.2.1')).toBe('address 192.0.2.1');
  expect(anonymous('192.0.2.1')).not.toBe(anonymous('192.0.2.2'));
  expect(anonymous('2001:db8:0:1::1')).toBe('address 2001:db8:0:1::/64');
  expect(anonymous('2001:db8:0:1:ffff::2')).toBe(anonymous('2001:db8:0:1::1'));
  expect(anonymous('2001:db8:0:2::1')).not.toBe(anonymous('2001:db8:0:1::1'));
  expect(anonymous('not an address')).toBe('address not an address');
});
