import { decodeReadIds, encodeReadIds, readIdsMax, subjects } from '@trunkline/contracts';
import { BusError, type Bus, type BusReply, type Logger } from '@trunkline/runtime';
import * as v from 'valibot';
import type { Clock } from '../clock.ts';
import { LostOfferError } from './answer.ts';

/** Times that one read is sent again: a read that kills its workers kills no more of them. */
export const repeatsMax = 3;
/** Age from which a read is asked about, the pause between two rounds, and the time for workers to answer one. */
const msMin = 500;
const pauseMs = 200;
const windowMs = 800;
/** Rounds in a row in which no worker names a read that has lost its worker: one answer may be late. */
const missedMax = 2;
const pingTimeoutMs = 500;

const WorkerId = v.pipe(v.string(), v.uuid());

interface Watched {
  readonly since: number;
  readonly lost: () => void;
  missed: number;
}

interface ReadLivenessTools {
  readonly bus: Pick<Bus, 'requestAll'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Watches a read until the returned function is called; `lost` is called when no worker runs the read any more. */
export type WatchRead = (requestId: string, lost: () => void) => () => void;

/**
 * Creates the watch of the reads that a gateway waits for. While one of them is older than half a second, all workers are
 * asked once a second which of these reads they run: the bus does not tell that a worker has died, or stands still, with
 * a call. A worker whose event loop stands still for two rounds is taken for dead; what comes of that is one read that
 * runs twice.
 */
export function watchReads({ bus, clock, logger }: ReadLivenessTools): WatchRead {
  const watched = new Map<string, Watched>();
  let isAsking = false;

  /** Returns which reads workers run; null when they cannot be asked. */
  const askWorkers = async (ids: readonly string[]): Promise<ReadonlySet<string> | null> => {
    const running = new Set<string>();
    try {
      await bus.requestAll(subjects.runningReads, encodeReadIds(ids), windowMs, (payload) => {
        for (const id of decodeReadIds(payload)) running.add(id);
      });
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      // Without the connection, the reads fail by themselves.
      if (error.reason !== 'no-responders') return null;
      // The workers may be connecting again.
      await clock.sleep(windowMs);
    }
    return running;
  };

  const ask = async () => {
    const now = clock.now();
    // The oldest first; those beyond the limit wait until their time is up, unless older ones end.
    const old = [...watched].filter(([, { since }]) => now - since >= msMin).slice(0, readIdsMax);
    if (old.length === 0) return;
    const running = await askWorkers(old.map(([id]) => id));
    if (running === null) return;
    for (const [id, read] of old) {
      read.missed = running.has(id) ? 0 : read.missed + 1;
      if (read.missed < missedMax || watched.get(id) !== read) continue;
      watched.delete(id);
      logger.warn({ requestId: id }, 'no worker runs this read any more: it is sent again');
      read.lost();
    }
  };

  const askWhileWatching = async () => {
    isAsking = true;
    try {
      while (watched.size > 0) {
        await clock.sleep(pauseMs);
        await ask();
      }
    } finally {
      isAsking = false;
    }
  };

  return (requestId, lost) => {
    const read = { since: clock.now(), lost, missed: 0 };
    watched.set(requestId, read);
    if (!isAsking) askWhileWatching().catch((error: unknown) => logger.warn({ err: error }, 'asking for reads failed'));
    return () => {
      if (watched.get(requestId) === read) watched.delete(requestId);
    };
  };
}

/** Declines a streamed reply, which would otherwise stay in its worker; ignores any other reply. */
function drop({ payload }: BusReply): void {
  if (!(payload instanceof Uint8Array)) payload.stream.destroy();
}

/**
 * Sends a read and returns its reply; null as soon as the read has lost its worker, whose reply is then dropped. `send`
 * calls `begun` when the answer begins: from then on, the transfer of the answer shows that its worker lives. An answer that
 * was offered begins when its transfer has opened, with which `send` resolves.
 */
export function sendWatched(
  watch: (lost: () => void) => () => void,
  send: (begun: () => void) => Promise<BusReply>,
): Promise<BusReply | null> {
  return new Promise((resolve, reject) => {
    let isLost = false;
    const unwatch = watch(() => {
      isLost = true;
      resolve(null);
    });
    send(unwatch)
      .finally(unwatch)
      .then((reply) => (isLost ? drop(reply) : resolve(reply)))
      .catch((error: unknown) => (error instanceof LostOfferError ? resolve(null) : reject(error)));
  });
}

/** Returns the id of the first worker of the lane `metadata` to answer a ping; null when none answers. */
export async function findResponsive(bus: Pick<Bus, 'request'>): Promise<string | null> {
  try {
    const { payload } = await bus.request(subjects.ping('metadata', null), new Uint8Array(), pingTimeoutMs);
    if (!(payload instanceof Uint8Array)) return null;
    const id: unknown = JSON.parse(Buffer.from(payload).toString());
    return v.is(WorkerId, id) ? id : null;
  } catch (error) {
    if (error instanceof BusError || error instanceof SyntaxError) return null;
    throw error;
  }
}
