import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { toIpRange } from './ip-range.ts';

const bitsPattern = /^(0|[1-9][0-9]{0,2})$/;

/** Returns the canonical form of an address or network, its first address and its mask; null for any other text. */
export function canonicalNetwork(text: string): string | null {
  const [address = '', mask, ...rest] = text.split('/');
  // ipaddr.js alone would accept 010.1 as an address, and Node alone would accept zones.
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return null;
  // Callers' IPv4-mapped addresses are compared as IPv4, so a mapped range would match no caller.
  if (version === 6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()) return null;
  const bitsMax = version === 4 ? 32 : 128;
  if (mask !== undefined && !(bitsPattern.test(mask) && Number(mask) <= bitsMax)) return null;
  const bits = mask === undefined ? bitsMax : Number(mask);
  return `${toIpRange(`${address}/${bits}`)[0]}/${bits}`;
}
