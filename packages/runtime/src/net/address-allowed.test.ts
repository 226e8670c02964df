import { describe, expect, it } from 'vitest';
import { addressAllowed } from './address-allowed.ts';

describe('addressAllowed', () => {
  it.each([
    ['10.1.2.3', [], true],
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['11.1.2.3', ['10.0.0.0/8'], false],
    ['10.1.2.3', ['10.1.2.3'], true],
    ['10.1.2.3', ['10.1.2.3/32', '::/0'], true],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['2001:db8::7', ['2001:db8::/64'], true],
    ['2001:db9::7', ['2001:db8::/64'], false],
    ['10.1.2.3', ['0.0.0.0/0'], true],
    ['no address', ['0.0.0.0/0'], false],
  ])('B12 %s in %j: %s', (address, networks, allowed) => {
    expect(addressAllowed(address, networks)).toBe(allowed);
  });

  it.each([
    '10.0.0.0/99',
    '10.0.0.0/-1',
    '10.0.0.0/x',
    '010.0.0.0/8',
    'x',
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/x',
    '10.0.0.0/0x8',
  ])('B12 %j is no valid network and allows no address', (network) => {
    expect(addressAllowed('10.1.2.3', [network])).toBe(false);
  });
});
