import {
  BusyError,
  encodeError,
  encodeResult,
  subjects,
  toRpcError,
  workerQueueGroup,
  type DataOffer,
} from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import type { Bus, CallMetrics, DataServer } from '@trunkline/runtime';
import { Semaphore } from '@trunkline/runtime/concurrency';
import type { ServedStorage, Storages } from '../storage/storages.ts';
import { answerOf } from './copy-answer.ts';
import { createCopyMetrics } from './copy-metrics.ts';
import { decodeCopyRequest, type CopyRequest } from './copy-request.ts';
import { requireAttempt } from './require-attempt.ts';
import { runArrival, type RunTools } from './run-arrival.ts';
import { PieceReader } from './stream/piece-reader.ts';

/** Whole trees that arrive, or are checked, at once; and what is shorter, for which a sender holds a repository. */
const limits = { long: 4, short: 16 } as const;
const requestMsMax = 10_000;

export interface ArrivalOptions extends RunTools {
  readonly bus: Pick<Bus, 'serve'>;
  readonly vault: Pick<SecretVault, 'hmacs'>;
  readonly storages: Pick<Storages, 'all'>;
  readonly registry: CallMetrics['registry'];
  readonly offer: DataServer['offer'];
}

type Handler = Parameters<DataServer['offer']>[1];

function isLong({ action }: CopyRequest): boolean {
  return action.kind === 'send' ? action.whole : action.kind === 'check' && action.full;
}

/** Answers how a tree was received. After a failure, reads on: an answer beside unread bytes would be lost. */
async function* received(work: Promise<unknown>, reader: PieceReader): AsyncGenerator<Uint8Array> {
  yield* answerOf(work);
  const isWhole = await work.then(
    () => true,
    () => false,
  );
  if (!isWhole) await reader.discard();
}

/** Returns a function that offers the transfer in which a request is handled. */
function createOffers(options: ArrivalOptions) {
  const refuse = () => new BusyError();
  const long = new Semaphore({ limit: limits.long, refuse });
  const short = new Semaphore({ limit: limits.short, refuse });
  const metrics = createCopyMetrics(options.registry, { long, short });
  return async (served: ServedStorage, request: CopyRequest): Promise<DataOffer> => {
    const semaphore = isLong(request) ? long : short;
    if (!semaphore.tryAcquire()) throw new BusyError();
    let work: Promise<unknown> = Promise.resolve();
    const handler: Handler = async ({ body, signal }) => {
      const reader = new PieceReader(body);
      work = runArrival(options, metrics, served, request, { reader, signal });
      if (request.action.kind !== 'send') return { body: answerOf(work) };
      // The answer begins when all has come, or when the other end need not send any more.
      await work.catch(() => {});
      return { body: received(work, reader) };
    };
    const release = () => semaphore.release();
    try {
      await requireAttempt(options.db, request);
      // The permit is held until the transfer and its work have ended, or the offer has expired.
      return options.offer(request.id, handler, { ended: () => void work.then(release, release) });
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Handles what workers of other storages ask of this worker's storages, each by a transfer over the data port. */
export function serveArrivals(options: ArrivalOptions): { drain(): Promise<void> } {
  const { bus, vault, storages, logger } = options;
  const offerFor = createOffers(options);

  const handle = async (served: ServedStorage, message: Uint8Array) => {
    const { name } = served.storage;
    try {
      return encodeResult(await offerFor(served, decodeCopyRequest(vault, name, message)));
    } catch (thrown) {
      const error = toRpcError(thrown);
      const reason = error.cause ?? error.message;
      if (!(error instanceof BusyError)) logger.warn({ storage: name, reason }, 'request for a copy refused');
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
