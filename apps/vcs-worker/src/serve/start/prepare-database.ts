import { prepareSchema, whenDatabaseWorks, whileOthersWait, type Pools, type SecretVault } from '@trunkline/db';
import { answerWhileWaiting, type Logger } from '@trunkline/runtime';
import type { readWorkerConfig } from '../../config.ts';
import type { ClaimedStorage } from '../../storage/claim-storages.ts';
import { prepareInstance } from './prepare-instance.ts';

/**
 * Waits for a database that is away; migrates the schema or waits for it, checks the number of connections, creates the
 * first administrator and claims the worker's storages; only one process at a time does so.
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
  const { logger, pools, vault } = tools;
  const address = { host: config.TRUNKLINE_METRICS_HOST, port: config.TRUNKLINE_METRICS_PORT, logger };
  const warn = (text: string) => logger.warn(text);
  pools.watch(warn);
  return answerWhileWaiting(address, (onWait) =>
    whenDatabaseWorks(async () => {
      const roles = { gateway: config.TRUNKLINE_GATEWAY_ROLE, worker: config.TRUNKLINE_WORKER_ROLE };
      await prepareSchema({ url, migrateUrl: config.TRUNKLINE_MIGRATE_URL, tier: 'worker', roles }, onWait);
      return whileOthersWait(url, async () => {
        await pools.requireConnections(warn);
        return prepareInstance(url, { vault, claims, admin });
      });
    }, onWait),
  );
}
