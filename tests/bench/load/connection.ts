import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { BenchRequest } from './bench-request.ts';

export interface Answer {
  readonly bytes: number;
  /** Why the request was refused; null when it was served. */
  readonly refusal: string | null;
}

/** One HTTP connection, which sends a request when the answer to the one before is complete. */
export interface Connection {
  send(request: BenchRequest): Promise<Answer>;
  close(): void;
}

const endOfResult = '"error":null}';
/** Enough of an answer's end for `endOfResult` and for the text of an error. */
const tailBytes = 300;

function refusalOf(status: number, tail: string, isCall: boolean): string | null {
  if (status !== 200) return `HTTP ${status}`;
  if (!isCall || tail.endsWith(endOfResult)) return null;
  // Numbers differ from call to call: those of one reason are counted together.
  return (/"error":"(.*)"\}$/.exec(tail)?.[1] ?? 'no answer of the API').replaceAll(/`[^`]*`/g, '`…`');
}

async function readAnswer(response: IncomingMessage): Promise<{ bytes: number; tail: string }> {
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    tail = chunk.length >= tailBytes ? chunk.subarray(-tailBytes) : Buffer.concat([tail, chunk]).subarray(-tailBytes);
  });
  await once(response, 'end');
  return { bytes, tail: tail.toString('utf8') };
}

export function openConnection(baseUrl: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async send({ path, body }) {
      const sent = request(new URL(path, baseUrl), { agent, method: body === undefined ? 'GET' : 'POST' }).end(body);
      const answered: unknown[] = await once(sent, 'response');
      const response = answered[0] as IncomingMessage;
      const { bytes, tail } = await readAnswer(response);
      return { bytes, refusal: refusalOf(response.statusCode ?? 0, tail, body !== undefined) };
    },
    close: () => agent.destroy(),
  };
}
