import { migrate } from '@trunkline/db';
import { runMain } from '@trunkline/runtime';
import { readMigrateConfig } from './config.ts';

// A job that runs before the gateways and workers of a release, so that none of these needs the owner's password.
await runMain(() => {
  const {
    TRUNKLINE_MIGRATE_URL: url,
    TRUNKLINE_GATEWAY_ROLE: gateway,
    TRUNKLINE_WORKER_ROLE: worker,
  } = readMigrateConfig();
  return migrate(url, { gateway, worker });
});
