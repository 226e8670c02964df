import { realpath } from 'node:fs/promises';
import { readStorages } from '@trunkline/runtime';
import type { Context, Outcome } from '../command.ts';
import { readImportConfig } from '../config.ts';
import { UsageError } from '../errors.ts';
import { withVault } from '../with-database.ts';
import { chooseTarget } from './bytes/choose-target.ts';
import { importInstance } from './import-instance.ts';
import { toOutcome } from './report.ts';
import { readSource, withSource } from './source/read-source.ts';
import { isTimeZone } from './source/times.ts';

export interface ImportCommandOptions {
  readonly adopt?: true;
  readonly dryRun?: true;
  readonly weakKeys?: true;
  readonly storage?: string;
  readonly timeZone?: string;
  readonly wait: string;
}

export interface ImportWords {
  readonly kind: string;
  readonly database: string;
  readonly repositories: string;
}

function readSeconds(wait: string): number {
  if (!/^\d{1,6}$/.test(wait)) throw new UsageError('Invalid value for `--wait`: must be a number of seconds');
  return Number(wait);
}

/** Does what `trunklinectl import` is told. */
export async function runImport(
  { environment, terminal: shown }: Context,
  { kind, database, repositories }: ImportWords,
  options: ImportCommandOptions,
): Promise<Outcome> {
  const { adopt = false, dryRun = false, weakKeys = false, storage = null } = options;
  const zone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!isTimeZone(zone)) throw new UsageError('Invalid value for `--time-zone`: must be a name such as Europe/Berlin');
  const patienceMs = readSeconds(options.wait) * 1_000;
  const config = readImportConfig(environment);
  return withVault(config, async (db, vault) => {
    const target = await chooseTarget(db, readStorages(config), repositories, { adopt, storage });
    const source = await withSource(database, (opened) => readSource(opened, kind, zone));
    const places = { directory: await realpath(repositories), target };
    return toOutcome(
      await importInstance(db, vault, source, places, { isDryRun: dryRun, weakKeys, patienceMs, shown }),
    );
  });
}
