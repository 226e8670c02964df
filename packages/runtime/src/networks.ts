import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const families = { 4: 'ipv4', 6: 'ipv6' } as const;

type Family = 'ipv4' | 'ipv6';

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  return version === 4 || version === 6 ? families[version] : undefined;
}

function parseNetwork(network: string): { base: string; prefix: number; family: Family } | null {
  const [base = '', bits, ...rest] = network.split('/');
  const family = familyOf(base);
  if (!family || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  const bitsMax = family === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? bitsMax : Number(bits);
  return prefix <= bitsMax ? { base, prefix, family } : null;
}

export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== null;
}

/**
 * Creates a function that returns whether an address lies in one of the networks (CIDR or single addresses). An IPv4
 * address in the form `::ffff:10.0.0.1` lies in the networks of `10.0.0.1`; no address lies in an invalid network.
 */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const parsed = parseNetwork(network);
    if (parsed) list.addSubnet(parsed.base, parsed.prefix, parsed.family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

/** Returns whether an address lies in one of the networks, as `addressMatcher` does; an empty list allows all. */
export function addressAllowed(address: string, networks: readonly string[]): boolean {
  return networks.length === 0 || addressMatcher(networks)(address);
}

function parseRange(network: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (network.includes('/')) return ipaddr.parseCIDR(network);
  const address = ipaddr.parse(network);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Returns the first and the last address of a network, IPv4 or IPv6. */
export function toIpRange(network: string): [string, string] {
  const [address, bits] = parseRange(network);
  const first = address.toByteArray();
  const last = [...first];
  for (let bit = bits; bit < first.length * 8; bit += 1) {
    const byte = bit >> 3;
    const mask = 0x80 >> (bit & 7);
    first[byte] = (first[byte] ?? 0) & ~mask;
    last[byte] = (last[byte] ?? 0) | mask;
  }
  return [ipaddr.fromByteArray(first).toString(), ipaddr.fromByteArray(last).toString()];
}

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
