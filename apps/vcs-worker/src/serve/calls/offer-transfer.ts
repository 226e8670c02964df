import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataOffer } from '@trunkline/contracts';
import type { DataReply, DataRequest } from '@trunkline/runtime';
import type { ReadPieces } from '@trunkline/runtime/concurrency';
import type { Slot } from '../admission/lane-slots.ts';
import type { DataPort } from '../data-port.ts';

export interface OfferedRequest extends DataRequest {
  /** Keeps the slot of the call until this work has ended, too: a client may leave before. */
  keepSlotFor(work: Promise<unknown>): void;
}

export type OfferedHandler = (request: OfferedRequest) => Promise<DataReply>;

/** Offers one transfer; `ended` is called when it has ended, or its ticket has run out. */
export type OfferTransfer = (handler: OfferedHandler, ended?: () => void) => DataOffer;

interface Offering {
  readonly dataPort: Pick<DataPort, 'offer'>;
  readonly slot: Slot;
  readonly requestId: string;
}

type InCall = <T>(act: () => T) => T;

/** Returns the same pieces, and tells when the reader wants one and when it was sent. */
function observed(source: AsyncIterable<Uint8Array>, reading: ReadPieces, inCall: InCall): AsyncIterable<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  const next = async () => {
    reading.wanted();
    const piece = await inCall(() => pieces.next());
    if (piece.done !== true) reading.sent(piece.value.length);
    return piece;
  };
  const end = async (): Promise<IteratorResult<Uint8Array>> =>
    (await pieces.return?.()) ?? { done: true, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

/**
 * Offers whoever has sent a request a transfer over the data port. The call keeps its slot until then; a reader that is
 * too slow is cut off while other callers wait.
 */
export function offerTransfer(
  { dataPort, slot, requestId }: Offering,
  handler: OfferedHandler,
  ended: () => void = () => {},
): DataOffer {
  // The commands that the transfer starts take turns as those of the call's caller.
  const inCall: InCall = AsyncLocalStorage.snapshot();
  const tooSlow = new AbortController();
  let work: Promise<unknown> | undefined;
  const keepSlotFor = (added: Promise<unknown>) => void (work = added);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const offer = dataPort.offer(
    requestId,
    async (request) => {
      const reading = slot.beginReading(() => tooSlow.abort());
      const reply = await inCall(() => handler({ ...request, keepSlotFor }));
      return { ...reply, body: observed(reply.body, reading, inCall) };
    },
    {
      signal: tooSlow.signal,
      ended: () => {
        if (work) void work.then(release, release);
        else release();
        ended();
      },
    },
  );
  slot.keepFor(held);
  return offer;
}
