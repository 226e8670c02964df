import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedError } from './errors.ts';

const pieceBytes = 256 * 1024;

/** An unlinked temporary file: nothing is left of it when this process is killed. */
export interface TemporaryFile {
  write(bytes: Uint8Array, at: number): Promise<void>;
  read(at: number, bytes: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT']);

function toClearError(cause: unknown): unknown {
  if (!(cause instanceof Error && 'code' in cause && fullCodes.has(cause.code))) return cause;
  return new RefusedError(`${tmpdir()} is full: set TMPDIR to a directory with more space`, { cause });
}

/** Opens a file among the temporary ones (`TMPDIR`). */
export async function openTemporaryFile(): Promise<TemporaryFile> {
  const path = join(tmpdir(), `trunklinectl-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return {
    async write(bytes, at) {
      try {
        for (let done = 0; done < bytes.length;) {
          done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
        }
      } catch (error) {
        throw toClearError(error);
      }
    },
    // Not a stream of the file for each read: each would leave a listener on the file.
    async *read(at, bytes) {
      for (let done = 0; done < bytes;) {
        const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - done));
        const { bytesRead } = await file.read(piece, 0, piece.length, at + done);
        if (bytesRead === 0) return;
        yield piece.subarray(0, bytesRead);
        done += bytesRead;
      }
    },
    close: () => file.close(),
  };
}
