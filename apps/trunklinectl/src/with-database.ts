import {
  createSecretVault,
  openDatabase,
  requireKnownKeys,
  watchServer,
  type Database,
  type SecretVault,
} from '@trunkline/db';
import type { DatabaseConfig } from './config.ts';

/** Runs `act` with a connection of its own. */
export async function withDatabase<T>(
  { TRUNKLINE_DATABASE_URL: url }: Pick<DatabaseConfig, 'TRUNKLINE_DATABASE_URL'>,
  act: (db: Database) => Promise<T>,
): Promise<T> {
  const name = 'trunklinectl';
  const { db, client, close } = openDatabase(url, { connectionsMax: 1, name, keepsConnections: true });
  const endWatch = watchServer({ url, name, clients: [client] });
  try {
    return await act(db);
  } finally {
    endWatch();
    await close();
  }
}

export function vaultOf(config: Pick<DatabaseConfig, 'TRUNKLINE_SECRET' | 'TRUNKLINE_OLD_SECRETS'>): SecretVault {
  return createSecretVault(config.TRUNKLINE_SECRET, config.TRUNKLINE_OLD_SECRETS);
}

/** Runs `act` with the vault, whose secrets are those of the database: others would write keys that are never found. */
export async function withVault<T>(
  config: DatabaseConfig,
  act: (db: Database, vault: SecretVault) => Promise<T>,
): Promise<T> {
  return withDatabase(config, async (db) => {
    const vault = vaultOf(config);
    await requireKnownKeys(db, vault);
    return act(db, vault);
  });
}
