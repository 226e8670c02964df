import { Readable } from 'node:stream';
import type { StreamFrame } from '@trunkline/contracts';
import { BusError } from './bus-error.ts';
import { deferred } from './deferred.ts';
import { followPeer } from './follow-peer.ts';
import { stallMs } from './stream-limits.ts';
import type { StreamLink } from './stream-link.ts';
import { createStreamWindow } from './stream-window.ts';

/** An answer that arrives in chunks, at the pace of its reader. */
export interface IncomingStream {
  /** In bytes; null when the sender did not know it. */
  readonly length: number | null;
  /** Ends only when every byte has arrived, and fails with a BusError otherwise. Destroying it cancels the sender. */
  readonly stream: Readable;
  /** How many bytes were given to the reader. */
  handedOn(): number;
}

interface Announced {
  readonly length: number | null;
  /** The subject on which the sender receives credit. */
  readonly control: string;
  readonly windowBytes: number;
}

/** Receives a stream that a worker announced; resolves at its first bytes, rejects with a BusError when none come. */
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
  // Readers get errors themselves; without a reader an error must not end the process.
  stream.on('error', () => {});
  const fail = (error: BusError) => stream.destroy(error);

  const onFrame = (frame: StreamFrame | null, { payload }: { readonly payload: Uint8Array }) => {
    // Only a reader that leaves received bytes unread stalls: while the window is empty, each frame resets the timer.
    if (window.isEmpty) stall.refresh();
    if (frame?.kind === 'heartbeat') return;
    if (frame?.kind === 'end' && window.isWhole(frame.bytes)) {
      senderDone = true;
      stopFollowing();
    } else if (frame?.kind !== 'data' || !window.accept(frame.bytes, payload)) {
      senderDone = frame?.kind === 'cancel';
      fail(new BusError('lost', new Error(`${frame?.kind ?? 'no frame'} in the middle of a stream`)));
      return;
    }
    begun.resolve();
    handOn();
  };

  const stall = setTimeout(() => fail(new BusError('timeout', new Error('nobody reads the answer'))), stallMs);
  const stopFollowing = followPeer(link, inbox, { onFrame, heartbeat: giveCredit, fail });
  giveCredit();
  return begun.promise.then(() => ({ length, stream, handedOn: () => window.handedOn }));
}
