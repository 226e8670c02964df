import { canonicalNetwork } from '@trunkline/runtime';
import { usernameProblem } from '@trunkline/contracts';
import { foldCase } from '@trunkline/db';
import type { Source, SourceUser } from '../source/source.ts';
import type { Finding } from './finding.ts';
import { type Here, importedId, withoutDeleted } from './here.ts';
import { cleanUsername, planNames } from './plan-names.ts';
import { planEmails } from './plan-emails.ts';
import { type KeyWorld, planKeys } from './plan-keys.ts';
import type { PlannedUser } from './plan.ts';

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
function planNetworks(
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

/** What other programs call a user whose password they keep themselves. */
const internalTypes = new Set(['', 'internal', 'rhodecode', 'kallithea']);
/** Other programs use this cost: with a higher one, a wrong password would take longer for this user than for a name that nobody has. */
const bcryptCostMax = 10;

interface PlannedPassword {
  readonly hash: string | null;
  /** Why a hash is not taken on. */
  readonly problem: string | null;
}

/** Returns the name by which LDAP knows a user. */
function ldapDnOf({ ldapDn, externType, externName }: SourceUser): string | null {
  return ldapDn || (externType === 'ldap' && externName) || null;
}

function isExternal(user: SourceUser): boolean {
  return ldapDnOf(user) !== null || !internalTypes.has(user.externType ?? '');
}

/**
 * Returns the hash of a user's password, if it can open the user's account here: that of an external user never does,
 * since the other program keeps random or former passwords there.
 */
export function planPassword(user: SourceUser): PlannedPassword {
  const { password } = user;
  if (password === '' || isExternal(user)) return { hash: null, problem: null };
  if (/^[0-9a-f]{64}$/i.test(password)) return { hash: password.toLowerCase(), problem: null };
  const cost = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(password)?.[1];
  if (cost === undefined) return { hash: null, problem: 'the hash of the password is of no known kind: set a new one' };
  if (Number(cost) > bcryptCostMax) {
    return { hash: null, problem: `the hash of the password has a cost of more than ${bcryptCostMax}: set a new one` };
  }
  return { hash: password, problem: null };
}

/** Returns the names here of those that were imported before, by ids of the source, and the folded form of all others. */
export function knownNames(here: Here, kind: 'user' | 'user_group', ids: readonly number[]) {
  const names = kind === 'user' ? here.usernames : here.userGroups;
  const known = new Map<number, string>();
  const own = new Set<number>();
  for (const id of ids) {
    const objectId = importedId(here, kind, id);
    const name = objectId === null ? undefined : names.get(objectId);
    if (objectId === null || name === undefined) continue;
    known.set(id, name);
    own.add(objectId);
  }
  const others = [...names].filter(([id]) => !own.has(id));
  return { known, own, taken: new Set(others.map(([, name]) => foldCase(name))) };
}

function profileOf(user: SourceUser): PlannedUser['profile'] {
  const { firstname, lastname, active, admin, externName } = user;
  const external = isExternal(user);
  const ldapDn = ldapDnOf(user);
  const externType = external ? user.externType || 'ldap' : null;
  return { firstname, lastname, active, admin, ldapDn, externType, externName: external ? externName || ldapDn : null };
}

function tellPassword(user: SourceUser, about: string, findings: Finding[]): string | null {
  const { hash, problem } = planPassword(user);
  if (problem !== null) findings.push({ kind: 'left out', about, what: problem });
  if (isExternal(user) && ldapDnOf(user) === null) {
    const what = `signs in by \`${user.externType ?? ''}\`, which is not there: set a password`;
    findings.push({ kind: 'differs', about, what });
  }
  return hash;
}

export function planUsers(source: Source, here: Here, world: KeyWorld, findings: Finding[]) {
  const users = withoutDeleted(here, 'user', source.users).filter(({ id }) => id !== source.defaultUserId);
  const asNamed = users.map(({ id, username }) => ({ id, name: username }));
  const { known, own, taken } = knownNames(
    here,
    'user',
    users.map(({ id }) => id),
  );
  const naming = { word: 'user', clean: cleanUsername, problemOf: usernameProblem, known, taken };
  const names = planNames(asNamed, naming, findings);
  const networks = planNetworks(source, here, findings);
  const emails = new Set([...here.emails].filter(([, id]) => !own.has(id)).map(([email]) => email));
  const planned = users.map((user): PlannedUser => {
    const about = `user ${user.username}`;
    return {
      id: user.id,
      username: names.get(user.id) ?? user.username,
      profile: profileOf(user),
      passwordHash: tellPassword(user, about, findings),
      createdAt: user.createdAt,
      lastLogin: user.lastLogin,
      emails: planEmails(user, about, emails, findings),
      keys: planKeys(user, about, world, findings),
      networks: networks.get(user.id) ?? [],
    };
  });
  return { planned, commonNetworks: networks.get(source.defaultUserId) ?? [] };
}
