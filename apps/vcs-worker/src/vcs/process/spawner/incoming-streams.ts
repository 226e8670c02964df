import { createServer, type Server, type Socket } from 'node:net';
import { headerLength, idLength } from './messages.ts';

/** Time for the header of a connection, in milliseconds. */
const headerMsMax = 30_000;
/** Connections that may wait to be taken, three for each command that starts. The system may have a lower limit. */
const backlog = 4_096;

/** Takes the number and the connection of one stream of a command. */
export type TakeStream = (number: number, socket: Socket) => void;

/** Calls `found` with the header of a connection; what follows the header stays to be read. */
function readHeader(socket: Socket, found: (header: string) => void): void {
  const timer = setTimeout(() => socket.destroy(), headerMsMax).unref();
  const read = () => {
    const header: Buffer | null = socket.read(headerLength);
    if (header === null) return;
    clearTimeout(timer);
    socket.off('readable', read);
    found(header.toString('latin1'));
  };
  socket.on('readable', read);
  socket.once('close', () => clearTimeout(timer));
}

/** Listens at a path for the streams of commands; `takerOf` returns who takes those of a command, if anybody does. */
export async function takeStreams(path: string, takerOf: (id: string) => TakeStream | undefined): Promise<Server> {
  const server = createServer((socket) => {
    // An error of a stream also ends it, which its readers and writers notice.
    socket.on('error', () => {});
    readHeader(socket, (header) => {
      const take = takerOf(header.slice(0, idLength));
      if (take) take(Number(header.slice(idLength)), socket);
      else socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ path, backlog }, resolve));
  // A connection that cannot be taken, such as for want of descriptors, is closed; its command has not started in time.
  server.on('error', () => {});
  return server.unref();
}
