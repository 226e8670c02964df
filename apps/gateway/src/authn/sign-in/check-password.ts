import { verifyPassword } from '@trunkline/runtime';
import type { Ldap } from './ldap.ts';

export interface PasswordOwner {
  readonly passwordHash: string | null;
  readonly ldapDn: string | null;
}

/**
 * Whether a password is the user's. A configured LDAP server alone decides about users with an `ldap_dn`, so that one
 * removed there cannot sign in. An unknown user costs as much work as a wrong password.
 */
export async function checkPassword(
  user: PasswordOwner | undefined,
  password: string,
  ldap: Ldap | null,
): Promise<boolean> {
  const dn = ldap && user?.ldapDn;
  if (!dn) return verifyPassword(user?.passwordHash ?? null, password);
  // A bind without a password would be an anonymous one, which succeeds.
  return password === '' ? verifyPassword(null, password) : ldap.bind(dn, password);
}
