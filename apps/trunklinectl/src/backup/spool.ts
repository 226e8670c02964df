import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { BackupFile } from './manifest.ts';
import type { BackupSink } from './sink.ts';

/** Keeps trees on this machine until they are whole: a transfer from a worker does not wait for a slow stream. */
export interface Spool extends Pick<BackupSink, 'write'> {
  /** Writes files to the sink and forgets them. */
  forward(files: readonly BackupFile[], sink: Pick<BackupSink, 'write'>): Promise<void>;
  close(): Promise<void>;
}

/** Opens a spool in a directory of its own below that of temporary files (`TMPDIR`). */
export async function openSpool(): Promise<Spool> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-backup-'));
  const pathOf = (name: string) => join(directory, basename(name));
  return {
    write: (name, content) => writeFile(pathOf(name), content, { mode: 0o600 }),
    async forward(files, sink) {
      for (const { name } of files) {
        await sink.write(name, await readFile(pathOf(name)));
        await rm(pathOf(name));
      }
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}
