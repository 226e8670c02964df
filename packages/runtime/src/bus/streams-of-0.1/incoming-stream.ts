import { Readable } from 'node:stream';
import { BusError } from '../bus-error.ts';
import { deferred } from '../deferred.ts';
import type { LargeAnswer } from '../large-answer.ts';
import { followPeer } from './follow-peer.ts';
import type { StreamFrame } from './stream-frame.ts';
import { stallMs } from './stream-limits.ts';
import type { StreamLink } from './stream-link.ts';
import { createStreamWindow } from './stream-window.ts';

interface Announced {
  readonly length: number | null;
  /** The subject on which the sender receives credit. */
  readonly control: string;
  readonly windowBytes: number;
  /** Destroys the stream when it aborts before the first bytes. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Receives a stream that a worker announced. Resolves at the first bytes, or at the end of an empty stream; rejects
 * with a BusError when the stream fails before.
 */
export function receiveStream(
  link: StreamLink,
  { length, control, windowBytes, signal }: Announced,
): Promise<LargeAnswer> {
  const window = createStreamWindow(length, windowBytes);
  const begun = deferred<void>();
  const inbox = link.inbox();
  let wanting = false;
  let senderDone = false;
  let stopFollowing = () => {};

  const giveCredit = () => link.send(control, { kind: 'credit', bytes: window.credit }, { replyTo: inbox });
  const pushNext = () => {
    if (!wanting || (window.isEmpty && !senderDone)) return;
    wanting = false;
    stall.refresh();
    stream.push(window.take() ?? null);
    if (window.renew() && !senderDone) giveCredit();
  };

  const stream = new Readable({
    read() {
      wanting = true;
      pushNext();
    },
    destroy(error, done) {
      clearTimeout(stall);
      stopFollowing();
      window.clear();
      if (!senderDone) link.send(control, { kind: 'cancel', bytes: null });
      signal?.removeEventListener('abort', abandon);
      begun.reject(error ?? new BusError('lost'));
      done(error);
    },
  });
  // Readers have their own listeners for errors; without a reader an error must not end the process.
  stream.on('error', () => {});
  const fail = (error: BusError) => stream.destroy(error);
  const abandon = () => fail(new BusError('abandoned'));
  signal?.addEventListener('abort', abandon, { once: true });

  const onFrame = (frame: StreamFrame | null, { payload }: { readonly payload: Uint8Array }) => {
    // Only a reader that leaves received bytes unread stalls: while the window is empty, each frame resets the timer.
    if (window.isEmpty) stall.refresh();
    if (frame?.kind === 'heartbeat') return;
    if (frame?.kind === 'end' && window.isComplete(frame.bytes)) {
      senderDone = true;
      stopFollowing();
    } else if (frame?.kind !== 'data' || !window.accept(frame.bytes, payload)) {
      senderDone = frame?.kind === 'cancel';
      fail(new BusError('lost', new Error(`${frame?.kind ?? 'no frame'} in the middle of a stream`)));
      return;
    }
    signal?.removeEventListener('abort', abandon);
    begun.resolve();
    pushNext();
  };

  const stall = setTimeout(() => fail(new BusError('timeout', new Error('the response is not being read'))), stallMs);
  try {
    stopFollowing = followPeer(link, inbox, { onFrame, heartbeat: giveCredit, fail });
    giveCredit();
  } catch (error) {
    fail(new BusError('lost', error));
  }
  return begun.promise.then(() => ({ length, stream }));
}
