import { InvalidArgsError } from '@trunkline/contracts';
import { canonicalNetwork } from '@trunkline/runtime';

/** Returns the canonical network of an argument `ip`; throws InvalidArgsError for text that is none. */
export function requireNetwork(ip: string): string {
  const network = canonicalNetwork(ip);
  if (network === null) throw new InvalidArgsError('Invalid value for `ip`: must be an address or a network');
  return network;
}
