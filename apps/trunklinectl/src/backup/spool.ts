import { buffer } from 'node:stream/consumers';
import { openTemporaryFile } from '../temporary-file.ts';
import type { BackupSink } from './sink.ts';

/** Keeps rows or a tree on this machine until they are whole: neither Postgres nor a worker waits for a slow stream. */
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

export async function openSpool(): Promise<Spool> {
  const file = await openTemporaryFile();
  const kept: Kept[] = [];
  let end = 0;
  return {
    async write(name, content) {
      await file.write(content, end);
      kept.push({ name, start: end, bytes: content.length });
      end += content.length;
    },
    async forward(sink) {
      for (const { name, start, bytes } of kept) await sink.write(name, await buffer(file.read(start, bytes)));
    },
    close: () => file.close(),
  };
}
