import type { RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests of one connection that may wait for the response to an earlier one. */
export const waitingMax = 32;

/**
 * Returns a listener that handles the requests of a connection one after the other, as their responses are sent: a
 * client that pipelines requests has no more under way, and no more unread responses, than clients that do not. A
 * connection on which more requests wait is closed.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const waitingOn = new WeakMap<Duplex, (() => void)[]>();
  const handleNext = (socket: Duplex) => {
    const handle = socket.destroyed ? undefined : waitingOn.get(socket)?.shift();
    if (handle) handle();
    else waitingOn.delete(socket);
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const handle = () => {
      outgoing.once('close', () => handleNext(socket));
      listener(incoming, outgoing);
    };
    const waiting = waitingOn.get(socket);
    if (waiting && waiting.length >= waitingMax) socket.destroy();
    else if (waiting) waiting.push(handle);
    else {
      waitingOn.set(socket, []);
      handle();
    }
  };
}
