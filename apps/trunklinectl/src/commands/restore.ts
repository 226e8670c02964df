import { resolve } from 'node:path';
import { readManifest } from '../backup/manifest.ts';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readBackupConfig } from '../config.ts';
import { checkFiles } from '../restore/check-files.ts';
import { readMapping } from '../restore/choose-storages.ts';
import { restoreBackup } from '../restore/restore-backup.ts';

interface Options {
  readonly check?: true;
  readonly storage: readonly string[];
}

async function act({ environment, terminal }: Context, path: string, options: Options): Promise<Outcome> {
  const mapping = readMapping(options.storage);
  const directory = resolve(path);
  const manifest = await readManifest(directory);
  const { id: backup, takenAt, repositories } = manifest;
  if (options.check) {
    const { files, bytes } = await checkFiles(directory, manifest);
    const text = `the backup of ${takenAt} is complete: ${repositories.length} repositories, ${files} files, ${bytes} bytes`;
    return { text, record: { backup, taken_at: takenAt, repositories: repositories.length, files, bytes } };
  }
  const config = readBackupConfig(environment);
  await checkFiles(directory, manifest);
  const restored = await restoreBackup(config, { manifest, directory, mapping }, terminal);
  return {
    text: `the backup of ${takenAt} is restored: ${restored} repositories were sent and read`,
    record: { backup, taken_at: takenAt, repositories: repositories.length, restored },
  };
}

export const restore: AddCommand = (program, choose) => {
  program
    .command('restore')
    .description('restore a backup into an empty instance whose workers run, or go on with a restore that was cut off')
    .argument('<DIRECTORY>', 'the directory of the backup')
    .option('--check', 'read all of the backup, and write nothing')
    .option(
      '--storage <OLD=NEW>',
      'storage for the repositories of a former one; may be repeated',
      (word: string, words: readonly string[]) => [...words, word],
      [],
    )
    .action((directory: string, options: Options) => choose((context) => act(context, directory, options)));
};
