import { resolve } from 'node:path';
import { whileDirectoryIsRead } from '../backup/lock-directory.ts';
import { readManifest } from '../backup/manifest.ts';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readBackupConfig } from '../config.ts';
import { UsageError } from '../errors.ts';
import { checkFiles } from '../restore/check-files.ts';
import { readMapping } from '../restore/choose-storages.ts';
import { restoreBackup } from '../restore/restore-backup.ts';
import { selectRepositories } from '../restore/select-repositories.ts';

interface Options {
  readonly check?: true;
  readonly storage: readonly string[];
  readonly acceptMissing?: true;
  readonly acceptDamaged?: true;
  readonly leaveOut: readonly string[];
}

/** Reads all of a backup. */
async function check(directory: string): Promise<Outcome> {
  const manifest = await readManifest(directory);
  const { id: backup, takenAt, repositories } = manifest;
  const { files, bytes } = await checkFiles(directory, manifest);
  const missing = manifest.missing.map(({ name }) => name);
  const counts = `${repositories.length} repositories, ${files} files, ${bytes} bytes`;
  const lines = [
    `the backup of ${takenAt} is complete: ${counts}`,
    ...manifest.missing.map(({ name, reason }) => `repository \`${name}\` could not be backed up: ${reason}`),
  ];
  return {
    text: lines.join('\n'),
    record: { backup, taken_at: takenAt, repositories: repositories.length, files, bytes, missing },
  };
}

async function restoreFrom(context: Context, directory: string, options: Options): Promise<Outcome> {
  const { environment, terminal } = context;
  const mapping = readMapping(options.storage);
  const config = readBackupConfig(environment);
  const manifest = await readManifest(directory);
  const { leaveOut, acceptMissing = false, acceptDamaged = false } = options;
  const { repositories, former, leftOut } = selectRepositories(manifest, { leaveOut, acceptMissing });
  await checkFiles(directory, { ...manifest, repositories: [...repositories], missing: [] });
  const restoration = { manifest, repositories, directory, mapping, acceptDamaged };
  const { restored, damaged, isContinued } = await restoreBackup(config, restoration, terminal);
  const { id: backup, takenAt } = manifest;
  const about = (names: readonly string[], what: string) => names.map((name) => `repository \`${name}\` ${what}`);
  const lines = [
    isContinued
      ? `the restore of the backup of ${takenAt} is complete: ${restored} repositories that were left were sent and read`
      : `the backup of ${takenAt} is restored: ${restored} repositories were sent and read`,
    ...about(damaged, 'is damaged'),
    ...about(former, 'is that of an earlier backup'),
    ...about(leftOut, 'is left out'),
  ];
  const names = { damaged, former, left_out: leftOut };
  return {
    text: lines.join('\n'),
    record: { backup, taken_at: takenAt, repositories: repositories.length, restored, ...names },
  };
}

async function act(context: Context, path: string, options: Options): Promise<Outcome> {
  if (path === '-') throw new UsageError('Invalid value for `DIRECTORY`: unpack a stream with `tar -x` first');
  const directory = resolve(path);
  return whileDirectoryIsRead(directory, context.terminal, () =>
    options.check ? check(directory) : restoreFrom(context, directory, options),
  );
}

const collect = (word: string, words: readonly string[]) => [...words, word];

export const restore: AddCommand = (program, choose) => {
  program
    .command('restore')
    .description('restore a backup into an empty instance whose workers run, or go on with a restore that was cut off')
    .argument('<DIRECTORY>', 'the directory of the backup')
    .option('--check', 'read all of the backup, and write nothing')
    .option('--storage <OLD=NEW>', 'storage for the repositories of a former one; may be repeated', collect, [])
    .option('--accept-missing', 'restore a backup that lacks repositories')
    .option('--accept-damaged', 'restore repositories that were damaged when they were backed up, as they are')
    .option('--leave-out <REPOSITORY>', 'restore all others; may be repeated', collect, [])
    .action((directory: string, options: Options) => choose((context) => act(context, directory, options)));
};
