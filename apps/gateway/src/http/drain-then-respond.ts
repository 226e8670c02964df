import type { IncomingMessage } from 'node:http';

const discardBytesMax = 16 * 1024 * 1024;
const discardMsMax = 2_000;

/**
 * Returns the response body for a client that is still sending its request. The body ends when the request has ended,
 * or exceeds a limit of bytes or time: a connection closed earlier is reset, and the client often loses the response.
 */
export function drainThenRespond(incoming: IncomingMessage, answer: Uint8Array): ReadableStream<Uint8Array> {
  let stop = () => {};
  return new ReadableStream({
    start(controller) {
      controller.enqueue(answer);
      let bytes = 0;
      const discard = (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > discardBytesMax) finish();
      };
      const finish = () => {
        stop();
        controller.close();
      };
      const timer = setTimeout(finish, discardMsMax);
      stop = () => {
        clearTimeout(timer);
        incoming.off('data', discard).off('end', finish).off('close', finish);
      };
      incoming.on('data', discard).on('end', finish).on('close', finish);
      incoming.resume();
    },
    cancel: () => stop(),
  });
}
