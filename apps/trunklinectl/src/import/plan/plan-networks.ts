import { canonicalNetwork } from '@trunkline/runtime';
import type { Source, SourceUser } from '../source/source.ts';
import type { Finding } from './finding.ts';
import type { Here } from './here.ts';

/** A network in which no caller is, for a list of which nothing could be taken on: an empty one would admit everybody. */
const nobody = '255.255.255.255/32';

function canonicalOf(user: SourceUser, about: string, findings: Finding[]): string[] {
  const networks = user.networks.flatMap((text) => {
    const network = canonicalNetwork(text.trim());
    if (network === null) findings.push({ kind: 'left out', about, what: `\`${text}\` is no address and no network` });
    return network ?? [];
  });
  if (user.networks.length === 0 || networks.length > 0) return [...new Set(networks)];
  findings.push({ kind: 'replaced', about, what: 'no entry of the list of addresses can be read', proposed: nobody });
  return [nobody];
}

/** Returns the networks of each user, `default` included, whose networks apply to everybody here. */
export function planNetworks(
  source: Source,
  { isShared }: Pick<Here, 'isShared'>,
  findings: Finding[],
): ReadonlyMap<number, readonly string[]> {
  const { users, defaultUserId } = source;
  const own = new Map(users.map((user) => [user.id, canonicalOf(user, `user ${user.username}`, findings)]));
  const common = own.get(defaultUserId) ?? [];
  const outsiders = users.filter(({ id, inherits }) => id !== defaultUserId && !inherits);
  if (common.length === 0 || (outsiders.length === 0 && !isShared)) return own;
  // The list of `default` would apply to further users, so those to whom it applies get it as their own.
  findings.push({
    kind: 'differs',
    about: 'user default',
    what: 'the list of addresses does not apply to every user here: those to whom it applies have it as their own',
  });
  const heirs = users.filter(({ id, inherits }) => id !== defaultUserId && inherits);
  for (const { id } of heirs) own.set(id, [...new Set([...(own.get(id) ?? []), ...common])]);
  own.set(defaultUserId, []);
  return own;
}
