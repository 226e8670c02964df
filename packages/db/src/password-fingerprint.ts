import { sql } from 'drizzle-orm';
import { users } from './schema/users.ts';

/**
 * SQL expression for a digest of what decides on a user's password: it changes with the password and with the way in
 * which it is checked. A password's hash has a random salt, so the digest tells nothing of the password.
 */
export const passwordFingerprint = sql<string>`encode(sha256(convert_to(
  concat(${users.passwordHash}, ' ', ${users.ldapDn}), 'UTF8')), 'hex')`;
