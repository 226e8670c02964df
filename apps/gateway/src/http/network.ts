import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Parses an IP address, drops its zone and returns a mapped IPv4 address as IPv4; returns null for any other text,
 * octal and short forms included.
 */
export function parseAddress(text: string): Address | null {
  const [address = ''] = text.split('%', 1);
  // ipaddr.js by itself accepts 010.1 as an address.
  return isIP(address) === 0 ? null : ipaddr.process(address);
}

interface Network {
  readonly base: Address;
  readonly bits: number;
}

function parseNetwork(text: string): Network | null {
  const [address = '', bits, ...rest] = text.split('/');
  const base = address.includes('%') ? null : parseAddress(address);
  if (!base || rest.length > 0) return null;
  const bitsMax = base.toByteArray().length * 8;
  if (bits === undefined) return { base, bits: bitsMax };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax ? { base, bits: Number(bits) } : null;
}

export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== null;
}

/** Creates a function that returns whether an address lies in one of these networks. */
export function networkMatcher(networks: readonly string[]): (address: Address) => boolean {
  const parsed = networks.map(parseNetwork).filter((network) => network !== null);
  return (address) => parsed.some(({ base, bits }) => address.kind() === base.kind() && address.match(base, bits));
}

/**
 * Returns the /64 of an IPv6 address, all of which one host may own; returns any other name unchanged, also one with a
 * zone, as a typed name may have and no client address has.
 */
export function sourceOf(name: string): string {
  return isIPv6(name) && !name.includes('%') ? ipaddr.IPv6.parse(name).parts.slice(0, 4).join(':') : name;
}
