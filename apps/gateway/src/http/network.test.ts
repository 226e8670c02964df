import { describe, expect, it } from 'vitest';
import { isNetwork } from './network.ts';

describe('isNetwork', () => {
  it.each(['10.0.0.0/8', '0.0.0.0/0', '127.0.0.1', '::1', '2001:db8::/32', '::/0', '1.2.3.4/32'])(
    'accepts %s',
    (text) => {
      expect(isNetwork(text)).toBe(true);
    },
  );

  it.each([
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '010.0.0.0/8',
    '10/8',
    'fe80::1%a',
  ])('B12 refuses %j', (text) => {
    expect(isNetwork(text)).toBe(false);
  });
});
