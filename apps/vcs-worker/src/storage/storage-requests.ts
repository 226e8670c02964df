import {
  BusyError,
  encodeError,
  encodeResult,
  splitSignature,
  toRpcError,
  UnavailableError,
  workerQueueGroup,
  type DataOffer,
} from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';
import type { Bus, Logger } from '@trunkline/runtime';
import type { ServedStorage, Storages } from './storages.ts';

/** What is sent to the workers of one storage; each request is answered by the offer of a transfer. */
interface StorageRequest {
  readonly sentAt: number;
  readonly storage: string;
}

interface Signed<Request> {
  readonly vault: Pick<SecretVault, 'hmacs'>;
  readonly purpose: 'bus copy' | 'bus snapshot';
  /** Throws for what is no request, and BusyError for one in a format that this release does not read. */
  readonly parse: (message: unknown) => Request;
}

/** Limit of a request's age, and of the difference between the clocks of two machines, in milliseconds. */
const ageMsMax = 5 * 60_000;
const requestMsMax = 10_000;

const refused = (why: string, cause?: unknown) => new UnavailableError({ cause: new Error(why, { cause }) });

/**
 * Decodes a request of a process of this instance to this storage; throws UnavailableError for any other one, and for an
 * old one. Within its age a request may be replayed.
 */
export function decodeStorageRequest<Request extends StorageRequest>(
  { vault, purpose, parse }: Signed<Request>,
  storage: string,
  message: Uint8Array,
  now: number,
): Request {
  const { signature, body } = splitSignature(message);
  if (!isOneOf(signature, vault.hmacs(purpose, body))) throw refused('it is not signed with TRUNKLINE_SECRET');
  let request: Request;
  try {
    request = parse(JSON.parse(Buffer.from(body).toString()));
  } catch (error) {
    if (error instanceof BusyError) throw error;
    throw refused('it is malformed', error);
  }
  const ageSeconds = (now - request.sentAt) / 1_000;
  if (Math.abs(ageSeconds) * 1_000 > ageMsMax)
    throw refused(`it was sent ${ageSeconds} s ago: it was replayed, or the clocks of the machines differ`);
  if (request.storage !== storage) throw refused(`it is for the storage ${request.storage}`);
  return request;
}

interface Serving {
  readonly bus: Pick<Bus, 'serve'>;
  readonly storages: Pick<Storages, 'all'>;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Answers {
  readonly subject: (storage: string) => string;
  /** Decodes a request, and offers the transfer that answers it. */
  readonly offer: (served: ServedStorage, message: Uint8Array) => Promise<DataOffer>;
  /** What the log says of a request that gets no offer. */
  readonly refusedText: string;
}

/** Answers the requests to each of this worker's storages. */
export function serveStorageRequests(
  { bus, storages, logger }: Serving,
  { subject, offer, refusedText }: Answers,
): { drain(): Promise<void> } {
  const answer = async (served: ServedStorage, message: Uint8Array) => {
    try {
      return encodeResult(await offer(served, message));
    } catch (thrown) {
      const error = toRpcError(thrown);
      const reason = error.cause ?? error.message;
      // A worker that is busy has no cause; one that cannot read the request does.
      if (!(error instanceof BusyError) || error.cause)
        logger.warn({ storage: served.storage.name, reason }, refusedText);
      return encodeError(error);
    }
  };
  const services = storages.all.map((served) =>
    bus.serve(subject(served.storage.name), {
      queue: workerQueueGroup,
      timeLimitMs: requestMsMax,
      handle: (message) => answer(served, message),
    }),
  );
  return {
    async drain() {
      await Promise.all(services.map((service) => service.drain()));
    },
  };
}
