import type { Socket } from 'node:net';

/**
 * Pipes bytes both ways between two sockets, which must have `allowHalfOpen`: each direction ends independently. When
 * one socket has closed in order, the other still sends what is buffered; an error destroys both sockets.
 */
export function joinSockets(client: Socket, remote: Socket): void {
  joinOneWay(client, remote);
  joinOneWay(remote, client);
}

function joinOneWay(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => from.destroy());
  from.once('close', () => {
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
}
