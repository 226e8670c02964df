import { BusyError } from '@trunkline/contracts';
import { randomUUID } from 'node:crypto';
import type { ServedStorage } from '../storage/storages.ts';
import type { Admitted, Arrivals } from './arrivals.ts';
import type { CopyCall } from './copy-call.ts';
import { HandedFiles } from './stream/handed-files.ts';
import { PieceReader } from './stream/piece-reader.ts';
import { busyMsMax, withPatience } from './with-patience.ts';

const patienceFor = (error: unknown) => (error instanceof BusyError ? busyMsMax : 0);

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Ends a stream within a large file, too, as a lost connection does. */
async function* untilAborted(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
  }
}

/**
 * Does one action of a copy whose target this worker serves itself: what is sent passes neither a connection nor the
 * bus, and the limits are those for what comes from other workers.
 */
export async function copyHere(arrivals: Arrivals, served: ServedStorage, call: CopyCall): Promise<unknown> {
  const { action, totalMs, body } = call;
  const { storage, operationId, attempt, storagePath } = call.target;
  const request = { id: randomUUID(), sentAt: Date.now(), storage, operationId, attempt, storagePath, action };
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(totalMs)]);
  const handed = new HandedFiles();
  const pieces = untilAborted(body?.(() => false, handed) ?? nothing(), signal);
  let admitted: Admitted | undefined;
  try {
    admitted = await withPatience(patienceFor, signal, () => arrivals.admit(served, request));
    return await admitted.run({ reader: new PieceReader(pieces), signal, handed });
  } catch (error) {
    call.signal.throwIfAborted();
    throw error;
  } finally {
    admitted?.release();
    // Closes the file that was being sent when the copy failed.
    await pieces.return(undefined);
    handed.close();
  }
}
