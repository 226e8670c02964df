import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the /64 of an IPv6 address, all of which one host may own; returns any other name unchanged, also one with a
 * zone, as a typed name may have and no client address has.
 */
export function sourceOf(name: string): string {
  return isIPv6(name) && !name.includes('%') ? ipaddr.IPv6.parse(name).parts.slice(0, 4).join(':') : name;
}
