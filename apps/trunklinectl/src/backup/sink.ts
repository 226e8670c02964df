import { buffer } from 'node:stream/consumers';
import { createHash } from 'node:crypto';
import { openTemporaryFile } from '../temporary-file.ts';
import type { BackupFile } from './manifest.ts';

/** What a backup is written to. */
export interface BackupSink {
  /** Writes a file whose name no earlier file has. */
  write(name: string, content: Buffer): Promise<void>;
  /** Writes the manifest, which makes a backup of the files, once these survive a power failure. */
  finish(manifest: Buffer): Promise<void>;
}

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

/** Bytes of a part, which is in memory as a whole: its size is known before it is written. */
const partBytes = 8 * 1024 * 1024;

/** Writes a stream as files `stem.1`, `stem.2` and so on; returns them. */
export async function writeParts(
  sink: Pick<BackupSink, 'write'>,
  stem: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  let held: Uint8Array[] = [];
  let bytes = 0;
  const flush = async () => {
    const content = Buffer.concat(held, bytes);
    const name = `${stem}.${files.length + 1}`;
    await sink.write(name, content);
    files.push({ name, bytes, sha256: createHash('sha256').update(content).digest('hex') });
    held = [];
    bytes = 0;
  };
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes >= partBytes) await flush();
  }
  if (bytes > 0) await flush();
  return files;
}
