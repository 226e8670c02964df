import type { IncomingMessage } from 'node:http';
import { sliceBytes, type TakeSlice } from './body-slices.ts';

const discardBytesMax = 16 * 1024 * 1024;
const discardMsMax = 2_000;

interface Discarding {
  /** Address of the client, as `sourceOf` returns it. */
  readonly source: string;
  /** Waits for a slice to discard more, so that discarding leaves the event loop to others. */
  readonly takeSlice: TakeSlice;
}

/**
 * Returns the response body for a client that is still sending its request. The body ends when the request has ended,
 * or exceeds a limit of bytes or time: a connection closed earlier is reset, and the client often loses the response.
 */
export function drainThenRespond(
  incoming: IncomingMessage,
  answer: Uint8Array,
  { source, takeSlice }: Discarding,
): ReadableStream<Uint8Array> {
  const ended = new AbortController();
  const { signal } = ended;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(answer);
      let bytes = 0;
      let nextSlice = sliceBytes;
      const discard = (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > discardBytesMax) return finish();
        if (bytes < nextSlice) return;
        nextSlice = bytes + sliceBytes;
        incoming.pause();
        void takeSlice({ source, timeoutMs: discardMsMax, signal }).then(() => incoming.resume(), finish);
      };
      const finish = () => {
        if (signal.aborted) return;
        ended.abort();
        controller.close();
      };
      const timer = setTimeout(finish, discardMsMax);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        incoming.off('data', discard).off('end', finish).off('close', finish);
      });
      incoming.on('data', discard).on('end', finish).on('close', finish);
      incoming.resume();
    },
    cancel: () => ended.abort(),
  });
}
