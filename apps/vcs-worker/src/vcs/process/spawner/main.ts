// The program of the spawner. Its argument is the path of the socket at which its worker takes the streams of commands.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { killGroupOf } from '../kill-group-of.ts';
import { streamNumbers, type SpawnerReport, type SpawnerRequest, type StartRequest } from './protocol.ts';

type Report = (report: SpawnerReport) => void;

/** Opens one stream of a command to the worker. This process does not read from it: the bytes are the command's. */
async function openStream(path: string, header: string): Promise<Socket> {
  const socket = createConnection(path);
  socket.pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  await new Promise<void>((resolve, reject) => socket.write(header, (error) => (error ? reject(error) : resolve())));
  return socket;
}

/** Starts and ends commands, each the leader of its process group, whose streams are connections to a path. */
class StartServer {
  readonly #path: string;
  readonly #report: Report;
  readonly #running = new Map<string, ChildProcess>();

  constructor(path: string, report: Report) {
    this.#path = path;
    this.#report = report;
  }

  take(request: SpawnerRequest): void {
    if ('kill' in request) {
      const pid = this.#running.get(request.kill)?.pid;
      if (pid !== undefined) killGroupOf(pid);
    } else this.#start(request).catch((error: unknown) => this.#fail(request.start, error, false));
  }

  #fail(id: string, error: unknown, isUnreachable: boolean): void {
    const failed = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    this.#report({ id, failed, isUnreachable });
  }

  async #start({ start: id, command, env }: StartRequest): Promise<void> {
    const opened = await Promise.allSettled(streamNumbers.map((number) => openStream(this.#path, `${id}${number}`)));
    const streams = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    try {
      const refused = opened.find((one) => one.status === 'rejected');
      const [file = '', ...args] = command;
      if (refused) this.#fail(id, refused.reason, true);
      else this.#watch(id, spawn(file, args, { env, detached: true, cwd: '/', stdio: streams }));
    } finally {
      // The command has its own.
      for (const stream of streams) stream.destroy();
    }
  }

  #watch(id: string, child: ChildProcess): void {
    const { pid } = child;
    child.on('error', (error) => this.#fail(id, error, false));
    if (pid === undefined) return;
    this.#running.set(id, child);
    this.#report({ id, pid });
    child.on('exit', (exitCode, signalCode) => {
      this.#running.delete(id);
      killGroupOf(pid);
      this.#report({ id, exitCode, signalCode });
    });
  }
}

const report = (message: SpawnerReport) => {
  // Without its worker this process ends.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};
const server = new StartServer(process.argv[2] ?? '', report);
process.on('message', (request: SpawnerRequest) => server.take(request));
process.on('disconnect', () => process.exit(0));
// Its worker, to which these signals may be sent as well, ends its commands before it ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
report({ isReady: true });
