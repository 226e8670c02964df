import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface StatementCounter {
  /** URL of the database, through the counter. */
  readonly url: string;
  /** Number of statements sent so far. */
  readonly statements: number;
  /** The texts of the statements sent so far. */
  readonly texts: readonly string[];
  /** Number of round trips so far; statements that are sent before the answer to others share one. */
  readonly roundTrips: number;
  /** Number of statements of the longest transaction that has ended since the last `forget`. */
  readonly longestTransaction: number;
  forget(): void;
  close(): Promise<void>;
}

interface Message {
  readonly type: string;
  /** What follows the length. Its first byte in ReadyForQuery is the state of the transaction. */
  readonly body: Buffer;
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
      const body = rest.subarray(lengthAt + 4, end);
      if (started) messages.push({ type: String.fromCharCode(rest[0] ?? 0), body });
      started = true;
      rest = rest.subarray(end);
    }
  };
}

/** Returns a function that follows what one connection sends, and returns the text of each statement. */
function textsIn() {
  const prepared = new Map<string, string>();
  let bound = '';
  return ({ type, body }: Message): string | null => {
    const [first = '', second = ''] = body.toString().split('\0');
    if (type === 'P') prepared.set(first, second);
    if (type === 'B') bound = prepared.get(second) ?? '';
    if (type === 'Q') return first;
    return type === 'S' ? bound : null;
  };
}

/** Starts a TCP proxy before a Postgres server that counts the statements, by their messages Sync and simple Query. */
export async function countStatements(url: string): Promise<StatementCounter> {
  const behind = new URL(url);
  const texts: string[] = [];
  let roundTrips = 0;
  let longestTransaction = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(behind.port), behind.hostname);
    const sent = messagesIn(false);
    const answered = messagesIn(true);
    const textOf = textsIn();
    let pending = 0;
    let inTransaction = 0;
    client.on('data', (chunk: Buffer) => {
      for (const message of sent(chunk)) {
        const text = textOf(message);
        // A Flush asks for the types of a statement that was not prepared before.
        if (message.type === 'H' || (text !== null && pending === 0)) roundTrips += 1;
        if (text === null) continue;
        texts.push(text);
        pending += 1;
      }
    });
    upstream.on('data', (chunk: Buffer) => {
      for (const { type, body } of answered(chunk)) {
        if (type !== 'Z') continue;
        // The first one ends the log-in.
        pending = Math.max(0, pending - 1);
        inTransaction += 1;
        if (body.toString('latin1') !== 'I') continue;
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
      return texts.length;
    },
    texts,
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
