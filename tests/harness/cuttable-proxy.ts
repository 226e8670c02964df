import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttableProxy {
  /** The URL of the server, through this proxy. */
  readonly url: string;
  /** Number of open connections through this proxy. */
  readonly connections: number;
  /** Destroys every open connection, as a failing network does; new connections are let through. */
  cut(): void;
  /** Has new connections go to another server; those that are open stay. */
  redirect(url: string): void;
  close(): Promise<void>;
}

/** Starts a TCP proxy before a server, whose connections a test can cut. */
export async function startCuttableProxy(url: string): Promise<CuttableProxy> {
  let behind = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(behind.port), behind.hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = new URL(url);
  through.port = String(typeof address === 'object' && address ? address.port : 0);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: through.href,
    get connections() {
      return sockets.size / 2;
    },
    cut,
    redirect(other) {
      behind = new URL(other);
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
