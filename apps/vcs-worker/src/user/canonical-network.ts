import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { toIpRange } from './ip-range.ts';

const bitsPattern = /^(0|[1-9][0-9]{0,2})$/;

/** The one form of an address or network: its first address and its mask; null for anything else. */
export function canonicalNetwork(text: string): string | null {
  const [address = '', mask, ...rest] = text.split('/');
  // ipaddr.js alone reads 010.1 as an address; Node takes zones, too.
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return null;
  // Callers are known by the IPv4 address: a range in this form would hold nobody.
  if (version === 6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()) return null;
  const bitsMax = version === 4 ? 32 : 128;
  if (mask !== undefined && !(bitsPattern.test(mask) && Number(mask) <= bitsMax)) return null;
  const bits = mask === undefined ? bitsMax : Number(mask);
  return `${toIpRange(`${address}/${bits}`)[0]}/${bits}`;
}
