import { createServer, type Server, type Socket } from 'node:net';

/** What a worker asks of its spawner. */
export type SpawnerRequest = StartRequest | { readonly kill: string };

export interface StartRequest {
  /** Random name of the command, of `idLength` characters. */
  readonly start: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** What a spawner tells of a command: that it has started, has not started (with the system's code), or has ended. */
export type CommandReport =
  | { readonly id: string; readonly pid: number }
  /** Of the connections to the worker when `isUnreachable`, otherwise of the program. */
  | { readonly id: string; readonly failed: string; readonly isUnreachable: boolean }
  | { readonly id: string; readonly exitCode: number | null; readonly signalCode: string | null };

/** What a spawner tells its worker; that it is ready comes first of all. */
export type SpawnerReport = CommandReport | { readonly isReady: true };

export const idLength = 32;
/** A connection begins with the id of its command and one digit: 0 for stdin, 1 for stdout and 2 for stderr. */
const headerLength = idLength + 1;
export const streamNumbers = [0, 1, 2] as const;

/** Time for the header of a connection, in milliseconds. */
const headerMsMax = 30_000;
/** Connections that may wait to be taken, three for each command that starts. The system may have a lower limit. */
const backlog = 4_096;

/** Takes the number and the connection of one stream of a command. */
type TakeStream = (number: number, socket: Socket) => void;

/** Calls `found` with the header of a connection; the bytes behind the header stay to be read. */
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
