import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = readonly [Address, number];

const globalUnicastV6: Block = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Returns a predicate that accepts public unicast addresses and the addresses and CIDR blocks that the operator lists.
 * An IPv4-mapped address is judged as its IPv4 address; other IPv6 addresses with an IPv4 address inside are refused.
 */
export function createAddressPolicy(allowedRemotes: readonly string[]): (address: string) => boolean {
  const allowedBlocks = allowedRemotes.map(parseBlock);
  return (text) => {
    const address = parseAddress(text);
    if (address === null) return false;
    return isPublic(address) || allowedBlocks.some((block) => contains(block, address));
  };
}

/** Addresses on which a connection reaches a server of 127.0.0.1: the unspecified ones lead to loopback. */
const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', '0.0.0.0', '::']);

/** Returns whether a connection to an address, in any spelling, reaches a server that listens on 127.0.0.1. */
export function reachesLoopbackHost(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && loopbackHosts.has(address.toString());
}

// ipaddr.js calls every IPv6 address without a named range unicast, `::127.0.0.1` among them.
function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || contains(globalUnicastV6, address));
}

function contains([network, prefix]: Block, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, prefix);
}

// ipaddr.js parses `::8.8.8.8` as an IPv4-mapped address; the spelling with hexadecimal groups alone is unambiguous.
function parseAddress(text: string): Address | null {
  if (isIP(text) === 0) return null;
  if (!isIPv6(text)) return ipaddr.process(text);
  const url = `http://[${text}]/`;
  return URL.canParse(url) ? ipaddr.process(new URL(url).hostname.slice(1, -1)) : null;
}

function parseBlock(text: string): Block {
  const [, host = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/u.exec(text) ?? [];
  const address = parseAddress(host);
  const bits = address?.kind() === 'ipv4' ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  if (address === null || prefix > bits) {
    throw new Error(`allowed remote ${text} is neither an address nor a CIDR block`);
  }
  return [address, prefix];
}
