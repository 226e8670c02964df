import {
  BusyError,
  encodeError,
  encodeResult,
  subjects,
  toRpcError,
  workerQueueGroup,
  type CopyRequest,
} from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import type { Bus, DataServer, Logger } from '@trunkline/runtime';
import type { ServedStorage, Storages } from '../storage/storages.ts';
import type { Arrivals } from './arrivals.ts';
import { answerOf, decodeCopyRequest } from './copy-messages.ts';
import { PieceReader } from './stream/frames.ts';

const requestMsMax = 10_000;

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
  const { bus, vault, storages, logger } = options;

  const handle = async (served: ServedStorage, message: Uint8Array) => {
    const { name } = served.storage;
    try {
      return encodeResult(await offerFor(options, served, decodeCopyRequest(vault, name, message)));
    } catch (thrown) {
      const error = toRpcError(thrown);
      const reason = error.cause ?? error.message;
      // A worker that is busy has no cause; one that cannot read the request does.
      if (!(error instanceof BusyError) || error.cause)
        logger.warn({ storage: name, reason }, 'request for a copy refused');
      return encodeError(error);
    }
  };

  const services = storages.all.map((served) =>
    bus.serve(subjects.copy(served.storage.name), {
      queue: workerQueueGroup,
      timeLimitMs: requestMsMax,
      handle: (message) => handle(served, message),
    }),
  );
  return {
    async drain() {
      await Promise.all(services.map((service) => service.drain()));
    },
  };
}
