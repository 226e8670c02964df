import { migrate, type Pools, type SecretVault } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import type { readWorkerConfig } from '../config.ts';
import type { ClaimedStorage } from '../storage/claim-storages.ts';
import { prepareInstance } from './prepare-instance.ts';

/**
 * Migrates the schema, checks the number of connections, creates the first administrator and claims the worker's
 * storages; only one process at a time does so.
 */
export async function prepareDatabase(
  config: ReturnType<typeof readWorkerConfig>,
  tools: { readonly pools: Pools<string>; readonly vault: SecretVault; readonly logger: Logger },
): Promise<readonly ClaimedStorage[]> {
  const url = config.TRUNKLINE_DATABASE_URL;
  const admin = {
    username: config.TRUNKLINE_ADMIN_USER,
    password: config.TRUNKLINE_ADMIN_PASSWORD,
    apiKey: config.TRUNKLINE_ADMIN_API_KEY || null,
  };
  const claims = { storages: config.storages, created: config.TRUNKLINE_STORAGE_CREATE };
  let storages: readonly ClaimedStorage[] = [];
  await migrate(url, async () => {
    await tools.pools.requireConnections((text) => tools.logger.warn(text));
    storages = await prepareInstance(url, { vault: tools.vault, claims, admin });
  });
  return storages;
}
