import type { SourceUser } from '../source/source.ts';

/** What other programs call a user whose password they keep themselves. */
const internalTypes = new Set(['', 'internal', 'rhodecode', 'kallithea']);
/** Other programs use this cost: with a higher one, a wrong password would take longer for this user than for a name that nobody has. */
const bcryptCostMax = 10;

export interface PlannedPassword {
  readonly hash: string | null;
  /** Why a hash is not taken on. */
  readonly problem: string | null;
}

/** Returns the name by which LDAP knows a user. */
export function ldapDnOf({ ldapDn, externType, externName }: SourceUser): string | null {
  return ldapDn || (externType === 'ldap' && externName) || null;
}

export function isExternal(user: SourceUser): boolean {
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
