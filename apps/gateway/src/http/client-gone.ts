import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { ClientGoneError } from './read-body.ts';

/** Requests without a complete response, by connection: of pipelined ones, Node.js closes only the first. */
const unanswered = new WeakMap<Duplex, Set<AbortController>>();

function unansweredOn(socket: Duplex): Set<AbortController> {
  const known = unanswered.get(socket);
  if (known) return known;
  const controllers = new Set<AbortController>();
  unanswered.set(socket, controllers);
  socket.once('close', () => {
    for (const controller of controllers) controller.abort(goneError());
    controllers.clear();
  });
  return controllers;
}

function goneError(): ClientGoneError {
  return new ClientGoneError('the client closed the connection');
}

/** Returns a signal that aborts with ClientGoneError when the client disconnects before the response is complete. */
export function clientGone({ incoming, outgoing }: HttpBindings): AbortSignal {
  const controller = new AbortController();
  // A page may make many calls at once.
  setMaxListeners(0, controller.signal);
  if (incoming.socket.destroyed) {
    controller.abort(goneError());
    return controller.signal;
  }
  const controllers = unansweredOn(incoming.socket).add(controller);
  outgoing.once('close', () => {
    controllers.delete(controller);
    if (!outgoing.writableFinished) controller.abort(goneError());
  });
  return controller.signal;
}
