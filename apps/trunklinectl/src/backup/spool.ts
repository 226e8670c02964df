import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { BackupSink } from './sink.ts';

/** Keeps a tree on this machine until it is whole: a transfer from a worker does not wait for a slow stream. */
export interface Spool extends Pick<BackupSink, 'write'> {
  /** Writes all files to the sink, in their order. */
  forward(sink: Pick<BackupSink, 'write'>): Promise<void>;
  close(): Promise<void>;
}

interface Kept {
  readonly name: string;
  readonly start: number;
  readonly bytes: number;
}

/** Opens a spool among the temporary files (`TMPDIR`), without a name: nothing is left when this process is killed. */
export async function openSpool(): Promise<Spool> {
  const path = join(tmpdir(), `trunkline-backup-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  const kept: Kept[] = [];
  let end = 0;
  return {
    async write(name, content) {
      await file.appendFile(content);
      kept.push({ name, start: end, bytes: content.length });
      end += content.length;
    },
    async forward(sink) {
      for (const { name, start, bytes } of kept) {
        const content = file.createReadStream({ start, end: start + bytes - 1, autoClose: false });
        await sink.write(name, await buffer(content));
      }
    },
    close: () => file.close(),
  };
}
