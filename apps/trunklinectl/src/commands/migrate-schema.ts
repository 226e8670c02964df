import { migrate } from '@trunkline/db';
import { migrateSettings, readConfig } from '@trunkline/runtime';
import type { AddCommand, Context, Outcome } from '../command.ts';

async function act({ environment }: Context): Promise<Outcome> {
  const config = readConfig(migrateSettings, environment);
  const roles = { gateway: config.TRUNKLINE_GATEWAY_ROLE, worker: config.TRUNKLINE_WORKER_ROLE };
  await migrate(config.TRUNKLINE_MIGRATE_URL, roles);
  const text = `the schema is that of this release, and \`${roles.gateway}\` and \`${roles.worker}\` have their rights`;
  return { text, record: { roles } };
}

export const migrateSchema: AddCommand = (program, choose) => {
  program
    .command('migrate')
    .description(
      'bring the schema up to this release and give the roles their rights, as the owner of TRUNKLINE_MIGRATE_URL',
    )
    .action(() => choose(act));
};
