import { Readable } from 'node:stream';
import { BusError } from '../bus-error.ts';
import { deferred } from '../../concurrency/waits.ts';
import type { LargeAnswer } from '../large-answer.ts';
import { followPeer, stallMs, type StreamFrame, type StreamLink } from './stream-link.ts';

/** Eighths of its window that a new stream has; it gets one more each time its reader has read half a window. */
const eighthsAtFirst = 2;

/**
 * Creates the flow-control window of a receiver: the bytes received but not yet read, and the sender's credit, which
 * like all offsets is counted from the first byte of the stream. A reader that takes little never has a whole window.
 */
export function createStreamWindow(length: number | null, windowBytes: number) {
  const queue: Uint8Array[] = [];
  let received = 0;
  let bytesRead = 0;
  const size = () => (windowBytes / 8) * Math.min(8, eighthsAtFirst + Math.floor((2 * bytesRead) / windowBytes));
  let credit = size();
  return {
    get isEmpty() {
      return queue.length === 0;
    },
    get bytesRead() {
      return bytesRead;
    },
    get credit() {
      return credit;
    },
    /** Queues a chunk that is the next one and within the credit; returns false for any other chunk. */
    accept(at: number | null, chunk: Uint8Array): boolean {
      const end = received + chunk.length;
      if (chunk.length === 0 || at !== received || end > credit || end > (length ?? end)) return false;
      received = end;
      queue.push(chunk);
      return true;
    },
    isComplete: (sent: number | null): boolean => sent === received && received === (length ?? received),
    take(): Uint8Array | undefined {
      const chunk = queue.shift();
      bytesRead += chunk?.length ?? 0;
      return chunk;
    },
    /** Raises the credit when an eighth of the window has been read since the last renewal; returns whether it did. */
    renew(): boolean {
      const next = bytesRead + size();
      if (next - credit < windowBytes / 8) return false;
      credit = next;
      return true;
    },
    clear() {
      queue.length = 0;
    },
  };
}

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
