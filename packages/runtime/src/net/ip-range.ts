import ipaddr from 'ipaddr.js';

function parseNetwork(network: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (network.includes('/')) return ipaddr.parseCIDR(network);
  const address = ipaddr.parse(network);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Returns the first and the last address of a network, IPv4 or IPv6. */
export function toIpRange(network: string): [string, string] {
  const [address, bits] = parseNetwork(network);
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
