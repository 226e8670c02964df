import { createHash } from 'node:crypto';
import type { BackupFile } from './manifest.ts';
import type { BackupSink } from './sink.ts';

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
