import { findFirstAdmin, type SecretVault } from '@trunkline/db';
import { StartError } from '../start-error.ts';

export interface AdminAccess {
  readonly username: string;
  readonly apiKey: string;
}

/** Finds an administrator whose key works, in a database that may not have its tables yet; null when there is none. */
export async function findAdmin(databaseUrl: string, vault: SecretVault): Promise<AdminAccess | null> {
  try {
    return await findFirstAdmin(databaseUrl, vault);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    // The errors of queries have the driver's error as their cause; the failure to decrypt a key has none.
    if (!(cause instanceof Error)) {
      throw new StartError("The administrator's API key cannot be read: has TRUNKLINE_SECRET been changed?");
    }
    const code = 'code' in cause ? String(cause.code) : '';
    if (code === '42P01') return null;
    throw new StartError(`The database cannot be used: ${cause.message || code}`);
  }
}
