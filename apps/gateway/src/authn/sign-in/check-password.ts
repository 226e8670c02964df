import { verifyPassword } from '@trunkline/runtime';
import type { Ldap } from './ldap.ts';

export interface PasswordOwner {
  readonly passwordHash: string | null;
  readonly ldapDn: string | null;
}

/**
 * Returns whether a password is the user's. A configured LDAP server alone decides for users with an `ldap_dn`, so that
 * a user who is removed there cannot sign in. An unknown user costs as much work as a local user's wrong password.
 */
export async function checkPassword(
  user: PasswordOwner | undefined,
  password: string,
  ldap: Ldap | null,
): Promise<boolean> {
  const dn = ldap && user?.ldapDn;
  if (!dn) return verifyPassword(user?.passwordHash ?? null, password);
  // `Ldap.bind` refuses an empty password, too (an anonymous bind would succeed), but without the work of a hash.
  return password === '' ? verifyPassword(null, password) : ldap.bind(dn, password);
}
