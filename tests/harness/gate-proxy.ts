import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface GateProxy {
  /** The URL of the server, through this proxy. */
  readonly url: string;
  /** Lets this number of further answer bytes through. */
  open(bytes: number): void;
  close(): Promise<void>;
}

/** Starts a TCP proxy before a server that holds back the server's answers, beyond the bytes that `open` allows. */
export async function startGateProxy(url: string): Promise<GateProxy> {
  const behind = new URL(url);
  let left = 0;
  const sockets = new Set<Socket>();
  /** Bytes held back, in order of arrival; null is the end of a connection. */
  const held: { readonly to: Socket; bytes: Buffer | null }[] = [];

  const pass = () => {
    for (let first = held[0]; first && (left > 0 || first.bytes === null); first = held[0]) {
      const part = first.bytes?.subarray(0, left);
      if (part) {
        left -= part.length;
        first.to.write(part);
        first.bytes = first.bytes?.subarray(part.length) ?? null;
      } else first.to.end();
      if (!first.bytes?.length) held.shift();
    }
  };
  const server = createServer((client) => {
    const upstream = connect(Number(behind.port), behind.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.pipe(upstream);
    client.on('close', () => upstream.destroy());
    const hold = (bytes: Buffer | null) => {
      held.push({ to: client, bytes });
      pass();
    };
    upstream.on('data', hold);
    upstream.on('end', () => hold(null));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = new URL(url);
  through.port = String(typeof address === 'object' && address ? address.port : 0);
  return {
    url: through.href,
    open(bytes) {
      left += bytes;
      pass();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
