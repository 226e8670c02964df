import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { addressAllowed, canonicalNetwork, toIpRange } from './networks.ts';

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

const networks = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
  fc.tuple(
    fc.ipV6().filter((address) => canonicalNetwork(address) !== null),
    fc.integer({ min: 0, max: 128 }),
  ),
);

describe('canonicalNetwork', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.1.2.3/32', '10.1.2.3/32'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/31', '255.255.255.254/31'],
    ['::', '::/128'],
    ['2001:DB8:0:0::7', '2001:db8::7/128'],
    ['2001:db8::7/64', '2001:db8::/64'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001/127', '2001:db8::/127'],
    ['::/0', '::/0'],
  ])('B12 %s becomes %s', (text, network) => {
    expect(canonicalNetwork(text)).toBe(network);
  });

  it.each([
    ...['', ' ', 'x', 'localhost', '10', '10.0', '10.0.0', '10.0.0.0.0', '10.0.0.256', '-1.0.0.0', '1e1.0.0.0'],
    ...['010.0.0.1', '10.0.0.08', '0x0a.0.0.1', '167772161', ' 10.0.0.1', '10.0.0.1\n', '10.0.0.1 ', '１０.0.0.1'],
    ...['10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/+8', '10.0.0.0/8.0', '10.0.0.0/8 '],
    ...['10.0.0.0/255.0.0.0', '10.0.0.0/8/8', '/8', '10.0.0.0/x', '10.0.0.1:80', '10.0.0.1-10.0.0.9', '10.0.0.*'],
    ...['fe80::1%eth0', 'fe80::1%eth0/64', 'fe80::/64%1', '[::1]', '::1/129', ':::', '1::2::3', '12345::', '::g'],
    ...['::ffff:10.1.2.3', '::ffff:a01:203', '::FFFF:10.1.2.3/128', '::ffff:0:0/96', '0:0:0:0:0:ffff:a01:203'],
  ])('B12 %j is no network', (text) => {
    expect(canonicalNetwork(text)).toBeNull();
  });

  it('B12 leaves its own result unchanged, and keeps the addresses of the network', () => {
    fc.assert(
      fc.property(networks, ([address, bits]) => {
        const text = `${address}/${bits}`;
        const network = canonicalNetwork(text) ?? '';
        expect(canonicalNetwork(network)).toBe(network);
        expect(toIpRange(network)).toEqual(toIpRange(text));
        expect(network).toBe(`${toIpRange(text)[0]}/${bits}`);
      }),
    );
  });

  it('B12 a network admits its first, its given and its last address', () => {
    fc.assert(
      fc.property(networks, ([address, bits]) => {
        const network = canonicalNetwork(`${address}/${bits}`) ?? '';
        for (const one of [address, ...toIpRange(network)]) expect(addressAllowed(one, [network])).toBe(true);
      }),
    );
  });

  it('B12 refuses text that is not an address', () => {
    const forms = fc.oneof(fc.ipV4Extended(), fc.domain(), fc.string(), fc.stringMatching(/^[0-9a-f:.]{1,20}$/));
    fc.assert(
      fc.property(forms, (text) => {
        fc.pre(isIP(text.split('/', 1)[0] ?? '') === 0);
        expect(canonicalNetwork(text)).toBeNull();
      }),
    );
  });
});
