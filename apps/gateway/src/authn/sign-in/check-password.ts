import { verifyPassword } from '@trunkline/runtime';
import type { Ldap } from './ldap.ts';

export interface PasswordOwner {
  readonly passwordHash: string | null;
  readonly ldapDn: string | null;
}

/**
 * Whether it is the user's password. Where there is a directory it decides alone about those who stand in it, so that
 * who has left is out. A user who does not exist costs as much as one with a wrong password.
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
