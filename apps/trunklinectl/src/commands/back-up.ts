import { resolve } from 'node:path';
import { claimDirectory, openDirectorySink, removeLeftovers, removeOthers } from '../backup/directory-sink.ts';
import { noFormer, readFormer } from '../backup/former-backup.ts';
import { whileDirectoryIsLocked } from '../backup/lock-directory.ts';
import { makeBackup, type MadeBackup } from '../backup/make-backup.ts';
import { filesOf } from '../backup/manifest.ts';
import { openTarSink } from '../backup/tar-sink.ts';
import { whileTrashIsHeld } from '../backup/while-trash-is-held.ts';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readBackupConfig } from '../config.ts';
import { vaultOf } from '../with-database.ts';

interface Options {
  readonly full?: true;
}

function toOutcome({ manifest, kept }: MadeBackup): Outcome {
  const { id, takenAt, repositories, tables } = manifest;
  const missing = manifest.missing.map(({ name }) => name);
  const damaged = repositories.flatMap((one) => (one.damaged ? [one.name] : []));
  const counts = `${tables.length} tables and ${repositories.length} repositories, ${kept} of them unchanged`;
  const lines = [
    missing.length === 0
      ? `the backup is complete: ${counts}`
      : `the backup lacks ${missing.length} repositories: ${counts}`,
    ...damaged.map((name) => `repository \`${name}\` is damaged, and so is what the backup has of it`),
  ];
  const figures = { tables: tables.length, repositories: repositories.length, kept };
  return {
    text: lines.join('\n'),
    record: { backup: id, taken_at: takenAt, ...figures, missing, damaged },
    isFailure: missing.length > 0,
  };
}

async function toDirectory({ environment, terminal }: Context, path: string, { full }: Options): Promise<Outcome> {
  const config = readBackupConfig(environment);
  const directory = resolve(path);
  await claimDirectory(directory);
  return whileDirectoryIsLocked(directory, terminal, () =>
    whileTrashIsHeld(config.TRUNKLINE_MIGRATE_URL, async (held) => {
      const former = await readFormer(held.client, directory, { isFull: full === true, vault: vaultOf(config) });
      await removeLeftovers(directory);
      const target = { former, sink: openDirectorySink(directory), isSlow: false };
      const made = await makeBackup(config, held, target, terminal);
      await removeOthers(directory, new Set(filesOf(made.manifest).map(({ name }) => name)));
      return toOutcome(made);
    }),
  );
}

/** Writes the archive to standard output, and what is said to the error output. */
async function toStream({ environment, terminal }: Context): Promise<Outcome> {
  const config = readBackupConfig(environment);
  const target = { former: noFormer, sink: openTarSink(terminal.bytes), isSlow: true };
  const made = await whileTrashIsHeld(config.TRUNKLINE_MIGRATE_URL, (held) =>
    makeBackup(config, held, target, terminal),
  );
  return { ...toOutcome(made), isAside: true };
}

export const backUp: AddCommand = (program, choose) => {
  program
    .command('backup')
    .description('write all rows and repositories to a directory, or as a tar archive to standard output')
    .argument(
      '<DIRECTORY>',
      'where to write; of a backup that is there, unchanged repositories are kept; - for a stream',
    )
    .option('--full', 'keep nothing of a backup that is there, of whatever instance it is')
    .action((directory: string, options: Options) =>
      choose((context) => (directory === '-' ? toStream(context) : toDirectory(context, directory, options))),
    );
};
