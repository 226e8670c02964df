import { randomUUID } from 'node:crypto';
import {
  isMigrated,
  type Connection,
  auditLog,
  createSecretVault,
  type Database,
  type Db,
  foldCase,
  openDatabase,
  requireKnownKeys,
  type SecretVault,
  type Transaction,
  users,
  watchServer,
} from '@trunkline/db';
import { eq } from 'drizzle-orm';
import type { DatabaseConfig } from './config.ts';
import { RefusedError } from './errors.ts';

/** Runs `act` with a connection of its own. */
export async function withDatabase<T>(
  { TRUNKLINE_DATABASE_URL: url }: Pick<DatabaseConfig, 'TRUNKLINE_DATABASE_URL'>,
  act: (db: Database, client: Connection) => Promise<T>,
): Promise<T> {
  const name = 'trunklinectl';
  const { db, client, close } = openDatabase(url, { connectionsMax: 1, name, keepsConnections: true });
  const endWatch = watchServer({ url, name, clients: [client] });
  try {
    return await act(db, client);
  } finally {
    endWatch();
    await close();
  }
}

export function vaultOf(config: Pick<DatabaseConfig, 'TRUNKLINE_SECRET' | 'TRUNKLINE_OLD_SECRETS'>): SecretVault {
  return createSecretVault(config.TRUNKLINE_SECRET, config.TRUNKLINE_OLD_SECRETS);
}

async function requireCurrentSchema(client: Connection): Promise<void> {
  if ((await isMigrated(client)) !== false) return;
  throw new RefusedError('the database lacks the schema of this release: run `trunklinectl migrate` before');
}

/**
 * Runs `act` with the vault, whose secrets are those of the database: others would write keys that are never found. Throws
 * for a database whose schema this release cannot use.
 */
export async function withVault<T>(
  config: DatabaseConfig,
  act: (db: Database, vault: SecretVault) => Promise<T>,
): Promise<T> {
  return withDatabase(config, async (db, client) => {
    await requireCurrentSchema(client);
    const vault = vaultOf(config);
    await requireKnownKeys(db, vault);
    return act(db, vault);
  });
}

/** Finds a user by name and keeps other transactions from changing the user's keys and networks meanwhile. */
export async function lockUser(tx: Transaction, username: string): Promise<{ id: number; username: string }> {
  const [row] = await tx
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(eq(users.usernameKey, foldCase(username)))
    .for('no key update');
  if (!row) throw new RefusedError(`user \`${username}\` does not exist`);
  return row;
}

/** Who the audit log says has made a change: no user has this id, and names of users need no such entry. */
export const actor = { actorId: 0, actor: 'trunklinectl' };

/** Records a change in the transaction that makes it, as the API records the method that does the same. */
export async function recordChange(db: Db, method: string, args: Readonly<Record<string, unknown>>): Promise<void> {
  await db.insert(auditLog).values({ requestId: randomUUID(), ...actor, ip: '', method, args, outcome: 'succeeded' });
}
