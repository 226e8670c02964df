import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface StatementCounter {
  /** URL of the database, through the counter. */
  readonly url: string;
  /** Number of statements sent so far. */
  readonly statements: number;
  /** Number of round trips so far; statements that are sent before the answer to others share one. */
  readonly roundTrips: number;
  /** Number of statements of the longest transaction that has ended since the last `forget`. */
  readonly longestTransaction: number;
  forget(): void;
  close(): Promise<void>;
}

interface Message {
  readonly type: string;
  /** First byte of what follows the length: the state of the transaction in ReadyForQuery. */
  readonly state: string;
}

/** Returns a function that gives the messages in the bytes of one side, of which the first may have no type. */
function messagesIn(hasFirstType: boolean) {
  let rest = Buffer.alloc(0);
  let started = hasFirstType;
  return (chunk: Buffer): Message[] => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const lengthAt = started ? 1 : 0;
      if (rest.length < lengthAt + 4) return messages;
      const end = lengthAt + rest.readUInt32BE(lengthAt);
      if (rest.length < end) return messages;
      const state = String.fromCharCode(rest[lengthAt + 4] ?? 0);
      if (started) messages.push({ type: String.fromCharCode(rest[0] ?? 0), state });
      started = true;
      rest = rest.subarray(end);
    }
  };
}

/** Starts a TCP proxy before a Postgres server that counts the statements, by their messages Sync and simple Query. */
export async function countStatements(url: string): Promise<StatementCounter> {
  const behind = new URL(url);
  let statements = 0;
  let roundTrips = 0;
  let longestTransaction = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(behind.port), behind.hostname);
    const sent = messagesIn(false);
    const answered = messagesIn(true);
    let pending = 0;
    let inTransaction = 0;
    client.on('data', (chunk: Buffer) => {
      for (const { type } of sent(chunk)) {
        // A Flush asks for the types of a statement that was not prepared before.
        const isStatement = 'SQ'.includes(type);
        if (type === 'H' || (isStatement && pending === 0)) roundTrips += 1;
        if (!isStatement) continue;
        statements += 1;
        pending += 1;
      }
    });
    upstream.on('data', (chunk: Buffer) => {
      for (const { type, state } of answered(chunk)) {
        if (type !== 'Z') continue;
        // The first one ends the log-in.
        pending = Math.max(0, pending - 1);
        inTransaction += 1;
        if (state !== 'I') continue;
        longestTransaction = Math.max(longestTransaction, inTransaction);
        inTransaction = 0;
      }
    });
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
    get roundTrips() {
      return roundTrips;
    },
    get longestTransaction() {
      return longestTransaction;
    },
    forget() {
      longestTransaction = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
