import { realpath } from 'node:fs/promises';
import { readStorages } from '@trunkline/runtime';
import { Argument } from 'commander';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readImportConfig } from '../config.ts';
import { UsageError } from '../errors.ts';
import { chooseTarget } from '../import/bytes/choose-target.ts';
import { importInstance } from '../import/import-instance.ts';
import { toOutcome } from '../import/report.ts';
import { isTimeZone } from '../import/source/local-time.ts';
import { withSource } from '../import/source/open-source.ts';
import { readSource } from '../import/source/read-source.ts';
import { withVault } from '../with-database.ts';

interface Options {
  readonly adopt?: true;
  readonly dryRun?: true;
  readonly weakKeys?: true;
  readonly storage?: string;
  readonly timeZone?: string;
  readonly wait: string;
}

interface Words {
  readonly kind: string;
  readonly database: string;
  readonly repositories: string;
}

function readSeconds(wait: string): number {
  if (!/^\d{1,6}$/.test(wait)) throw new UsageError('Invalid value for `--wait`: must be a number of seconds');
  return Number(wait);
}

async function act(
  { environment, terminal: shown }: Context,
  { kind, database, repositories }: Words,
  options: Options,
) {
  const { adopt = false, dryRun = false, weakKeys = false, storage = null } = options;
  const zone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!isTimeZone(zone)) throw new UsageError('Invalid value for `--time-zone`: must be a name such as Europe/Berlin');
  const patienceMs = readSeconds(options.wait) * 1_000;
  const config = readImportConfig(environment);
  return withVault(config, async (db, vault): Promise<Outcome> => {
    const target = await chooseTarget(db, readStorages(config), repositories, { adopt, storage });
    const source = await withSource(database, (opened) => readSource(opened, kind, zone));
    const places = { directory: await realpath(repositories), target };
    return toOutcome(
      await importInstance(db, vault, source, places, { isDryRun: dryRun, weakKeys, patienceMs, shown }),
    );
  });
}

export const importKallithea: AddCommand = (program, choose) => {
  program
    .command('import')
    .description('import users, groups, rights and repositories of Kallithea 0.3 to 0.7 or RhodeCode 1.7')
    .addArgument(new Argument('<KIND>', 'the program').choices(['kallithea', 'rhodecode']))
    .argument('<DATABASE>', 'its SQLite file, or the URL of its Postgres database')
    .argument('<REPOSITORIES>', 'its directory of repositories')
    .option('--dry-run', 'write nothing, and report what an import would do')
    .option('--adopt', 'take repositories over where they lie, in a storage, instead of copying them')
    .option('--storage <NAME>', 'storage for the repositories; needed where the environment has several')
    .option('--weak-keys', 'take on API keys of less than 160 bits, too')
    .option('--time-zone <ZONE>', 'time zone of the server on which the program ran; that of this machine when absent')
    .option('--wait <SECONDS>', 'how long to wait for workers while none of them adopts a repository', '60')
    .action((kind: string, database: string, repositories: string, options: Options) =>
      choose((context) => act(context, { kind, database, repositories }, options)),
    );
};
