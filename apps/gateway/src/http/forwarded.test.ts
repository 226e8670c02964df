import { isIP } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddressReader, createIsSecure } from './forwarded.ts';

const trusted = ['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7'];

function address(peer: string | undefined, forwarded?: string, proxies: readonly string[] = trusted): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientAddressReader(proxies)({ socket: { remoteAddress: peer }, headers });
}

describe('clientAddressReader', () => {
  it.each([
    ['no proxy', '198.51.100.1', undefined, '198.51.100.1'],
    ['a header nobody trusted wrote', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['one proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['a spoofed entry on the left', '10.0.0.1', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['two proxies', '10.0.0.1', '203.0.113.9, 192.0.2.7', '203.0.113.9'],
    ['an untrusted proxy between', '10.0.0.1', '203.0.113.9,198.51.100.2,10.1.1.1', '198.51.100.2'],
    ['proxies only', '10.0.0.1', '10.9.9.9, 10.8.8.8', '10.9.9.9'],
    ['a trusted peer without header', '10.0.0.1', undefined, '10.0.0.1'],
    ['words', '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['octal octets', '10.0.0.1', '010.0.0.9', '10.0.0.1'],
    ['a short form', '10.0.0.1', '203.0.113.9, 10.1', '10.0.0.1'],
    ['words behind a trusted hop', '10.0.0.1', 'unknown, 10.2.2.2', '10.2.2.2'],
    ['a port', '10.0.0.1', '203.0.113.9:4711', '10.0.0.1'],
    ['an empty entry', '10.0.0.1', '203.0.113.9,', '10.0.0.1'],
    ['IPv4 inside IPv6, at the socket', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['IPv6', '2001:db8:1::1', '2001:DB8:0:0::9', '2001:db8::9'],
    ['a zone', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['a zone in the header', '10.0.0.1', 'fe80::1%10.0.0.1', 'fe80::1'],
    ['a client that has gone', undefined, undefined, '0.0.0.0'],
  ])('B12 %s', (_, peer, forwarded, expected) => {
    expect(address(peer, forwarded)).toBe(expected);
  });

  it('B12 trusts no proxy by default', () => {
    expect(address('127.0.0.1', '203.0.113.9', [])).toBe('127.0.0.1');
  });

  it('B12 matches no IPv4 address with an IPv6 network, nor the reverse', () => {
    expect(address('10.0.0.1', '203.0.113.9', ['::/0'])).toBe('10.0.0.1');
    expect(address('::1', '203.0.113.9', ['0.0.0.0/0'])).toBe('::1');
  });
});

describe('clientAddressReader of any header', () => {
  const entry = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '',
      ' ',
      'unknown',
      '10.0.0.1',
      '[::1]:80',
      '::ffff:10.0.0.1',
      '1',
      '0x7f.1',
      '1.2.3.4, 5.6.7.8',
      '%',
    ),
  );
  const header = fc.array(entry).map((entries) => entries.join(','));

  it('B12 returns the socket’s address when no proxy is trusted', () => {
    fc.assert(
      fc.property(header, (forwarded) => {
        expect(isIP(address('10.0.0.1', forwarded))).toBeGreaterThan(0);
        expect(address('198.51.100.1', forwarded)).toBe('198.51.100.1');
      }),
    );
  });

  it('B12 ignores addresses to the left of an untrusted one', () => {
    fc.assert(
      fc.property(header, (forged) => {
        expect(address('10.0.0.1', `${forged},198.51.100.7`)).toBe('198.51.100.7');
      }),
    );
  });
});

const isSecure = createIsSecure(['10.0.0.0/8']);
const request = (remoteAddress: string, forwardedProto?: string, encrypted = false) => ({
  socket: { remoteAddress, encrypted },
  headers: forwardedProto === undefined ? {} : { 'x-forwarded-proto': forwardedProto },
});

describe('createIsSecure', () => {
  it.each([
    ['an encrypted socket', request('192.0.2.1', undefined, true)],
    ['what a trusted proxy says', request('10.0.0.1', 'https')],
    ['what a trusted proxy says in its own way', request('::ffff:10.0.0.1', ' HTTPS ')],
    ['what a trusted proxy says last', request('10.0.0.1', 'http, https')],
  ])('believes %s', (_, one) => expect(isSecure(one)).toBe(true));

  it.each([
    ['a plain socket', request('10.0.0.1')],
    ['http', request('10.0.0.1', 'http')],
    ['what the client said before its proxy', request('10.0.0.1', 'https, http')],
    ['somebody who is no trusted proxy', request('192.0.2.1', 'https')],
    ['a socket that is gone', request('', 'https')],
  ])('B12 does not believe %s', (_, one) => expect(isSecure(one)).toBe(false));
});
