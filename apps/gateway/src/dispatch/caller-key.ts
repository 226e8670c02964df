import type { Caller } from '@trunkline/contracts';
import ipaddr from 'ipaddr.js';
import { parseAddress } from '../http/network.ts';

/** Bits of an IPv6 address that one client is given, within which it can choose its address at will. */
const clientBits = 64;

/**
 * Returns the key by which shares and turns of a caller are counted: the user or, for a caller without credentials, the
 * client's address: an IPv4 address or the /64 of an IPv6 address.
 */
export function callerKey({ userId, ip, credential }: Pick<Caller, 'userId' | 'ip' | 'credential'>): string {
  if (credential.kind !== 'anonymous') return `user ${userId}`;
  const address = parseAddress(ip);
  if (address?.kind() !== 'ipv6') return `address ${address?.toString() ?? ip}`;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${clientBits}`);
  return `address ${network.toString()}/${clientBits}`;
}
