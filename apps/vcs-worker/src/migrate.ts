import { migrate } from '@trunkline/db';
import { runMain } from '@trunkline/runtime';
import { readMigrateConfig } from './config.ts';

// A job that runs before the gateways and workers of a release, so that none of these needs the owner's password.
await runMain(() => migrate(readMigrateConfig().TRUNKLINE_MIGRATE_URL));
