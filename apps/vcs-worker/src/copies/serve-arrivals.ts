import { subjects, type CopyRequest } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import type { Bus, DataServer, Logger } from '@trunkline/runtime';
import { serveStorageRequests } from '../storage/storage-requests.ts';
import type { ServedStorage, Storages } from '../storage/storages.ts';
import type { Arrivals } from './arrivals.ts';
import { answerOf, decodeCopyRequest } from './copy-messages.ts';
import { PieceReader } from './stream/frames.ts';

interface ServeArrivalsOptions {
  readonly arrivals: Arrivals;
  readonly bus: Pick<Bus, 'serve'>;
  readonly vault: Pick<SecretVault, 'hmacs'>;
  readonly storages: Pick<Storages, 'all'>;
  readonly offer: DataServer['offer'];
  readonly logger: Pick<Logger, 'warn'>;
}

type Handler = Parameters<DataServer['offer']>[1];

/** Answers how a tree was received. After a failure, reads on: an answer beside unread bytes would be lost. */
async function* received(work: Promise<unknown>, reader: PieceReader): AsyncGenerator<Uint8Array> {
  yield* answerOf(work);
  const isWhole = await work.then(
    () => true,
    () => false,
  );
  if (!isWhole) await reader.discard();
}

/** Offers the transfer in which a request is handled. */
async function offerFor({ arrivals, offer }: ServeArrivalsOptions, served: ServedStorage, request: CopyRequest) {
  const { run, release } = await arrivals.admit(served, request);
  let work: Promise<unknown> = Promise.resolve();
  const handler: Handler = async ({ body, signal }) => {
    const reader = new PieceReader(body);
    work = run({ reader, signal });
    if (request.action.kind !== 'send') return { body: answerOf(work) };
    // The answer begins when all has come, or when the other end need not send any more.
    await work.catch(() => {});
    return { body: received(work, reader) };
  };
  try {
    // The permit is held until the transfer and its work have ended, or the offer has expired.
    return offer(request.id, handler, { ended: () => void work.then(release, release) });
  } catch (error) {
    release();
    throw error;
  }
}

/** Handles what workers of other storages ask of this worker's storages, each by a transfer over the data port. */
export function serveArrivals(options: ServeArrivalsOptions): { drain(): Promise<void> } {
  return serveStorageRequests(options, {
    subject: subjects.copy,
    offer: (served, message) =>
      offerFor(options, served, decodeCopyRequest(options.vault, served.storage.name, message)),
    refusedText: 'request for a copy refused',
  });
}
