import { resolve } from 'node:path';
import { openDirectorySink, removeOthers } from '../backup/directory-sink.ts';
import { keptIn } from '../backup/keep-files.ts';
import { completeBackup, makeBackup, type MadeBackup } from '../backup/make-backup.ts';
import { filesOf, type Manifest } from '../backup/manifest.ts';
import { openTarSink } from '../backup/tar-sink.ts';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readBackupConfig } from '../config.ts';

function toOutcome({ manifest, kept }: MadeBackup): Outcome {
  const { id, takenAt, repositories, tables } = manifest;
  const counts = `${tables.length} tables and ${repositories.length} repositories, ${kept} of them unchanged`;
  return {
    text: `the backup is complete: ${counts}`,
    record: { backup: id, taken_at: takenAt, tables: tables.length, repositories: repositories.length, kept },
  };
}

async function toDirectory({ environment, terminal }: Context, path: string): Promise<Outcome> {
  const config = readBackupConfig(environment);
  const directory = resolve(path);
  const target = { findKept: await keptIn(directory), sink: await openDirectorySink(directory) };
  const made = await makeBackup(config, target, terminal);
  await completeBackup(target, made);
  const manifest: Manifest = { format: 1, ...made.manifest };
  await removeOthers(directory, new Set(filesOf(manifest).map(({ name }) => name)));
  return toOutcome(made);
}

/** Writes the archive to standard output, and what is said to the error output. */
async function toStream({ environment, terminal }: Context): Promise<Outcome> {
  const config = readBackupConfig(environment);
  const target = { findKept: async () => undefined, sink: openTarSink(terminal.bytes) };
  const made = await makeBackup(config, target, terminal);
  await completeBackup(target, made);
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
    .action((directory: string) =>
      choose((context) => (directory === '-' ? toStream(context) : toDirectory(context, directory))),
    );
};
