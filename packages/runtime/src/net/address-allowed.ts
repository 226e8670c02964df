import { BlockList, isIP } from 'node:net';

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
