import { BlockList, isIP } from 'node:net';

const families = { 4: 'ipv4', 6: 'ipv6' } as const;

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 4 || version === 6 ? families[version] : undefined;
}

/** Adds a network; an invalid one is left out, since no address can lie in it. */
function add(list: BlockList, network: string): void {
  const [base = '', bits, ...rest] = network.split('/');
  const family = familyOf(base);
  if (!family || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return;
  const bitsMax = family === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? bitsMax : Number(bits);
  if (prefix <= bitsMax) list.addSubnet(base, prefix, family);
}

/**
 * Returns whether an address lies in one of the networks (CIDR or single addresses); an empty list allows all. An IPv4
 * address in the form `::ffff:10.0.0.1` lies in the networks of `10.0.0.1`.
 */
export function addressAllowed(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return true;
  const family = familyOf(address);
  if (!family) return false;
  const list = new BlockList();
  for (const network of networks) add(list, network);
  return list.check(address, family);
}
