import { verifyPassword } from '@trunkline/runtime';
import type { Ldap } from './ldap.ts';
import type { PasswordWork } from './password-queues.ts';

export interface PasswordOwner {
  readonly passwordHash: string | null;
  readonly ldapDn: string | null;
}

/** Runs a check of a password when its turn has come. */
export type RunInTurn = <T>(kind: PasswordWork, check: () => Promise<T>) => Promise<T>;

export interface PasswordTools {
  readonly ldap: Ldap | null;
  readonly runInTurn: RunInTurn;
  /** Whether some user has a hash of another program, so that each wrong password costs the work of one. */
  readonly foreignWork?: boolean;
}

/**
 * Returns whether a password is the user's. A configured LDAP server alone decides for users with an `ldap_dn`, so that
 * a user who is removed there cannot sign in. An unknown user costs as much work as a local user's wrong password.
 */
export async function checkPassword(
  user: PasswordOwner | undefined,
  password: string,
  { ldap, runInTurn, foreignWork = false }: PasswordTools,
): Promise<boolean> {
  const dn = ldap && user?.ldapDn;
  // `Ldap.bind` refuses an empty password, too (an anonymous bind would succeed), but without the work of a hash.
  if (dn && password !== '') return runInTurn('bind', () => ldap.bind(dn, password));
  return runInTurn('hash', () => verifyPassword(dn ? null : (user?.passwordHash ?? null), password, { foreignWork }));
}
