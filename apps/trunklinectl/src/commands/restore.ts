import { resolve } from 'node:path';
import { sizeText } from '@trunkline/contracts';
import { whileDirectoryIsRead } from '../backup/lock-directory.ts';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { findSecretConfig, readBackupConfig, type BackupConfig } from '../config.ts';
import { UsageError } from '../errors.ts';
import { type BackupSource, checkFiles, openDirectory } from '../restore/backup-source.ts';
import { readMapping, selectRepositories } from '../restore/choices.ts';
import { withArchive } from '../restore/open-archive.ts';
import { restoreBackup } from '../restore/restore-backup.ts';
import type { Shown } from '../show-progress.ts';
import { vaultOf } from '../with-database.ts';

interface Options {
  readonly check?: true;
  readonly storage: readonly string[];
  readonly acceptMissing?: true;
  readonly acceptDamaged?: true;
  readonly leaveOut: readonly string[];
}

/** Reads all of a backup. */
async function check(shown: Shown, source: BackupSource): Promise<Outcome> {
  const { manifest } = source;
  const { id: backup, takenAt, repositories } = manifest;
  const { files, bytes } = await checkFiles(shown, source, manifest);
  const missing = manifest.missing.map(({ name }) => name);
  const counts = `${repositories.length} repositories, ${files} files, ${sizeText(bytes)}`;
  const lines = [
    `the backup of ${takenAt} is complete: ${counts}`,
    ...manifest.missing.map(({ name, reason }) => `repository \`${name}\` could not be backed up: ${reason}`),
  ];
  return {
    text: lines.join('\n'),
    record: { backup, taken_at: takenAt, repositories: repositories.length, files, bytes, missing },
  };
}

interface RestoreTools extends Pick<Context, 'terminal'> {
  readonly config: BackupConfig;
  readonly mapping: ReadonlyMap<string, string>;
}

async function restoreFrom(
  { config, mapping, terminal }: RestoreTools,
  source: BackupSource,
  options: Options,
): Promise<Outcome> {
  const { manifest } = source;
  const { leaveOut, acceptMissing = false, acceptDamaged = false } = options;
  const { repositories, former, leftOut } = selectRepositories(manifest, { leaveOut, acceptMissing });
  await checkFiles(terminal, source, { ...manifest, repositories: [...repositories], missing: [] });
  const restoration = { source, repositories, mapping, acceptDamaged };
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

/** Reads the settings, and returns what restores a backup. */
function restorer({ environment, terminal }: Context, options: Options): (source: BackupSource) => Promise<Outcome> {
  const mapping = readMapping(options.storage);
  const config = readBackupConfig(environment);
  return (source) => restoreFrom({ config, mapping, terminal }, source, options);
}

async function act(context: Context, path: string, options: Options): Promise<Outcome> {
  const { environment, terminal } = context;
  const secrets = findSecretConfig(environment);
  const vault = secrets && vaultOf(secrets);
  const read = options.check ? (source: BackupSource) => check(terminal, source) : restorer(context, options);
  if (path !== '-') {
    const directory = resolve(path);
    return whileDirectoryIsRead(directory, terminal, async () => read(await openDirectory(directory, vault)));
  }
  if (terminal.isTyped) throw new UsageError('Invalid value for `DIRECTORY`: standard input has no archive');
  return withArchive(terminal.input, { vault, keeps: !options.check, shown: terminal }, read);
}

const collect = (word: string, words: readonly string[]) => [...words, word];

export const restore: AddCommand = (program, choose) => {
  program
    .command('restore')
    .description('restore a backup into an empty instance whose workers run, or go on with a restore that was cut off')
    .argument('<DIRECTORY>', 'the directory of the backup; - for a tar archive on standard input')
    .option('--check', 'read all of the backup, and write nothing')
    .option('--storage <OLD=NEW>', 'storage for the repositories of a former one; may be repeated', collect, [])
    .option('--accept-missing', 'restore a backup that lacks repositories')
    .option('--accept-damaged', 'restore repositories that were damaged when they were backed up, as they are')
    .option('--leave-out <REPOSITORY>', 'restore all others; may be repeated', collect, [])
    .action((directory: string, options: Options) => choose((context) => act(context, directory, options)));
};
