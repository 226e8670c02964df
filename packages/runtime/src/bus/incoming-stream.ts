import { Readable } from 'node:stream';
import type { StreamFrame } from '@trunkline/contracts';
import { BusError } from './bus-error.ts';
import { deferred } from './deferred.ts';
import { followPeer } from './follow-peer.ts';
import { stallMs } from './stream-limits.ts';
import type { StreamLink } from './stream-link.ts';
import { createStreamWindow } from './stream-window.ts';

/** An answer that comes in chunks, at the pace at which it is read. */
export interface IncomingStream {
  /** Null when the sender did not know it. */
  readonly length: number | null;
  /** Ends only when everything has come; fails with a BusError otherwise. Destroying it tells the sender. */
  readonly stream: Readable;
  /** How many bytes the stream has handed on. */
  handedOn(): number;
}

interface Announced {
  readonly length: number | null;
  /** Where the sender hears. */
  readonly control: string;
  readonly windowBytes: number;
}

/** Takes what a worker announced; resolves when the first bytes are there, rejects with a BusError when none come. */
export function receiveStream(link: StreamLink, { length, control, windowBytes }: Announced): Promise<IncomingStream> {
  const window = createStreamWindow(length, windowBytes);
  const begun = deferred<void>();
  const inbox = link.inbox();
  let wanting = false;
  let senderDone = false;

  const giveCredit = () => link.send(control, { kind: 'credit', bytes: window.credit }, { replyTo: inbox });
  const handOn = () => {
    if (!wanting || (window.isEmpty && !senderDone)) return;
    wanting = false;
    stall.refresh();
    stream.push(window.take() ?? null);
    if (window.renew() && !senderDone) giveCredit();
  };

  const stream = new Readable({
    read() {
      wanting = true;
      handOn();
    },
    destroy(error, done) {
      clearTimeout(stall);
      stopFollowing();
      window.clear();
      if (!senderDone) link.send(control, { kind: 'cancel', bytes: null });
      begun.reject(error ?? new BusError('lost'));
      done(error);
    },
  });
  // Whoever reads it hears of errors; while nobody does they must not end the process.
  stream.on('error', () => {});
  const fail = (error: BusError) => stream.destroy(error);

  const heard = (frame: StreamFrame | null, { payload }: { readonly payload: Uint8Array }) => {
    // Waiting for the sender is no fault of the reader.
    if (window.isEmpty) stall.refresh();
    if (frame?.kind === 'beat') return;
    if (frame?.kind === 'end' && window.isWhole(frame.bytes)) {
      senderDone = true;
      stopFollowing();
    } else if (frame?.kind !== 'data' || !window.accept(frame.bytes, payload)) {
      senderDone = frame?.kind === 'cancel';
      fail(new BusError('lost', new Error(`${frame?.kind ?? 'no frame'} in the middle of a transfer`)));
      return;
    }
    begun.resolve();
    handOn();
  };

  const stall = setTimeout(() => fail(new BusError('timeout', new Error('nobody reads the answer'))), stallMs);
  const stopFollowing = followPeer(link, inbox, { heard, beat: giveCredit, fail });
  giveCredit();
  return begun.promise.then(() => ({ length, stream, handedOn: () => window.handedOn }));
}
