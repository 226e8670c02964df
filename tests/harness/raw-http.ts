import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Status line and headers as they have come, in Latin-1. */
  readonly head: string;
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const headEnd = Buffer.from('\r\n\r\n');

interface Taken {
  readonly answer: RawAnswer;
  readonly rest: Buffer;
}

function unchunk(bytes: Buffer): { body: Buffer; rest: Buffer } | null {
  const parts: Buffer[] = [];
  for (let rest = bytes; ;) {
    const lineEnd = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.subarray(0, Math.max(lineEnd, 0)).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (lineEnd < 0 || rest.length < next) return null;
    if (size === 0) return { body: Buffer.concat(parts), rest: rest.subarray(next) };
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    rest = rest.subarray(next);
  }
}

/** Parses the first answer of the received bytes; null while that answer is not complete. */
function takeAnswer(bytes: Buffer, ended: boolean): Taken | null {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return null;
  const head = bytes.subarray(0, end).toString('latin1');
  const [first = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1]);
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const behind = bytes.subarray(end + headEnd.length);
  if (status < 200 || status === 204 || status === 304) {
    return { answer: { status, head, headers, body: Buffer.alloc(0) }, rest: behind };
  }
  if (headers.get('transfer-encoding') === 'chunked') {
    const taken = unchunk(behind);
    return taken && { answer: { status, head, headers, body: taken.body }, rest: taken.rest };
  }
  const length = headers.get('content-length');
  if (length === undefined) {
    return ended ? { answer: { status, head, headers, body: behind }, rest: Buffer.alloc(0) } : null;
  }
  if (behind.length < Number(length)) return null;
  return {
    answer: { status, head, headers, body: behind.subarray(0, Number(length)) },
    rest: behind.subarray(Number(length)),
  };
}

export interface Exchange {
  /** Pieces that are written one after the other. */
  readonly pieces: readonly (Buffer | string)[];
  /** Number of answers after which the connection is closed; interim (1xx) answers do not count. */
  readonly answers: number;
  /** Half-closes the connection after the last piece. */
  readonly end?: boolean;
}

const secondsMax = 45;

/** Sends bytes on a new connection; returns the answers until the wanted number, or until the server closes. */
export async function exchange(baseUrl: string, { pieces, answers, end = false }: Exchange): Promise<RawAnswer[]> {
  const { port, hostname } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true, allowHalfOpen: true });
  const got: RawAnswer[] = [];
  let bytes: Buffer = Buffer.alloc(0);
  const look = (ended: boolean) => {
    for (let taken = takeAnswer(bytes, ended); taken; taken = takeAnswer(bytes, ended)) {
      bytes = taken.rest;
      if (taken.answer.status >= 200) got.push(taken.answer);
    }
    return got.length >= answers;
  };
  const done = new Promise<void>((resolve, reject) => {
    const late = () => reject(new Error(`no answer after ${secondsMax} s`));
    const timer = setTimeout(late, secondsMax * 1_000);
    const finish = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (look(false)) finish();
    });
    socket.on('end', () => {
      look(true);
      finish();
    });
    // A server that has refused a request may close the connection while the rest of the request is sent.
    socket.on('error', finish);
    socket.on('close', finish);
  });
  for (const piece of pieces) {
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
  if (end) socket.end();
  await done.finally(() => socket.destroy());
  return got;
}
