import { migrate, type Pools, type SecretVault } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import type { readWorkerConfig } from '../config.ts';
import { prepareInstance, type ClaimedStorage } from './prepare-instance.ts';

/**
 * Migrates the schema, checks the number of connections, creates the first administrator and claims the storage, if the
 * worker has one; only one process at a time does so.
 */
export async function prepareDatabase(
  config: ReturnType<typeof readWorkerConfig>,
  tools: { readonly pools: Pools<string>; readonly vault: SecretVault; readonly logger: Logger },
): Promise<ClaimedStorage | null> {
  const url = config.TRUNKLINE_DATABASE_URL;
  const admin = {
    username: config.TRUNKLINE_ADMIN_USER,
    password: config.TRUNKLINE_ADMIN_PASSWORD,
    apiKey: config.TRUNKLINE_ADMIN_API_KEY || null,
  };
  let storage: ClaimedStorage | null = null;
  await migrate(url, async () => {
    await tools.pools.requireConnections((text) => tools.logger.warn(text));
    storage = await prepareInstance(url, { vault: tools.vault, storageRoot: config.storageRoot, admin });
  });
  return storage;
}
