import type { Socket } from 'node:net';

/** Carries bytes both ways; each direction ends on its own, an error ends both. */
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
