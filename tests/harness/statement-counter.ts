import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface StatementCounter {
  /** URL of the database, through the counter. */
  readonly url: string;
  /** Number of statements sent so far. */
  readonly statements: number;
  close(): Promise<void>;
}

/** Returns a function that counts, in the bytes of one client to Postgres, the messages Sync and simple Query. */
function statementsIn() {
  let rest = Buffer.alloc(0);
  let started = false;
  return (chunk: Buffer): number => {
    rest = Buffer.concat([rest, chunk]);
    let count = 0;
    for (;;) {
      // The first message of a connection has no type byte.
      const lengthAt = started ? 1 : 0;
      if (rest.length < lengthAt + 4) return count;
      const end = lengthAt + rest.readUInt32BE(lengthAt);
      if (rest.length < end) return count;
      if (started && 'SQ'.includes(String.fromCharCode(rest[0] ?? 0))) count += 1;
      started = true;
      rest = rest.subarray(end);
    }
  };
}

/** Starts a TCP proxy before a Postgres server that counts the statements. */
export async function countStatements(url: string): Promise<StatementCounter> {
  const behind = new URL(url);
  let statements = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(behind.port), behind.hostname);
    const count = statementsIn();
    client.on('data', (chunk: Buffer) => (statements += count(chunk)));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        (socket === client ? upstream : client).destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = new URL(url);
  through.port = String(typeof address === 'object' && address ? address.port : 0);
  return {
    url: through.href,
    get statements() {
      return statements;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
