import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { toIpRange } from './ip-range.ts';

function inBinary(address: string): string {
  const bytes = ipaddr.parse(address).toByteArray();
  return bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

describe('toIpRange', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
    ['192.168.7.7', '192.168.7.7', '192.168.7.7'],
    ['192.168.7.7/32', '192.168.7.7', '192.168.7.7'],
    ['10.1.2.3/24', '10.1.2.0', '10.1.2.255'],
    ['0.0.0.0/0', '0.0.0.0', '255.255.255.255'],
    ['2001:db8::/64', '2001:db8::', '2001:db8::ffff:ffff:ffff:ffff'],
    ['::1', '::1', '::1'],
  ])('returns the first and the last address of %s', (network, first, last) => {
    expect(toIpRange(network)).toEqual([first, last]);
  });

  it('an IPv4 range holds as many addresses as its mask allows', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, bits) => {
        const [first, last] = toIpRange(`${address}/${bits}`).map((text) =>
          text.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0),
        );
        expect((last ?? 0) - (first ?? 0) + 1).toBe(2 ** (32 - bits));
      }),
    );
  });

  it('an IPv6 range begins with zeros and ends with ones behind its mask', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.integer({ min: 0, max: 128 }), (address, bits) => {
        const [first, last] = toIpRange(`${address}/${bits}`).map(inBinary);
        const kept = inBinary(address).slice(0, bits);
        expect(first).toBe(kept.padEnd(128, '0'));
        expect(last).toBe(kept.padEnd(128, '1'));
      }),
    );
  });
});
