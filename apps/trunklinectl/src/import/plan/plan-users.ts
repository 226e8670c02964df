import { usernameProblem } from '@trunkline/contracts';
import { foldCase } from '@trunkline/db';
import type { Source, SourceUser } from '../source/source.ts';
import { cleanUsername } from './clean-name.ts';
import type { Finding } from './finding.ts';
import { importedId, withoutDeleted, type Here } from './here.ts';
import { planEmails } from './plan-emails.ts';
import { planKeys, type KeyWorld } from './plan-keys.ts';
import { planNames } from './plan-names.ts';
import { planNetworks } from './plan-networks.ts';
import { isExternal, ldapDnOf, planPassword } from './plan-password.ts';
import type { PlannedUser } from './plan.ts';

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
