import { formatCluster } from '../cluster/format-cluster.ts';
import { readCluster } from '../cluster/read-cluster.ts';
import { readStorageRows } from '../cluster/read-storages.ts';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readProcessConfig } from '../config.ts';
import { withDatabase } from '../with-database.ts';

async function act({ environment }: Context): Promise<Outcome> {
  const config = readProcessConfig(environment);
  return withDatabase(config, async (db) => {
    const cluster = await readCluster(config, db);
    const storages = await readStorageRows(db);
    const { answered: processes, absent, unserved, missing } = cluster;
    return {
      text: formatCluster(cluster, storages),
      record: { processes, absent, unserved, missing, storages },
      isFailure: processes.length === 0 || absent.length + unserved.length + missing.length > 0,
    };
  });
}

export const showStatus: AddCommand = (program, choose) => {
  program
    .command('status')
    .description('list gateways, workers, lanes, storages and what runs; exits with 1 when a part is missing')
    .action(() => choose(act));
};
