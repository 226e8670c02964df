import type { IncomingMessage } from 'node:http';

const discardBytesMax = 16 * 1024 * 1024;
const discardMsMax = 2_000;

/**
 * The body of an answer to a client that is still sending. It ends only when he has ended too, or sent or taken
 * too much: closing the connection before would reset it, and he would often lose the answer.
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
