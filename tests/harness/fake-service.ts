import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

interface ReceivedCall {
  readonly id: number;
  readonly api_key: string;
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ReceivedRequest {
  readonly verb: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly call: ReceivedCall;
}

/** A result or an error; either is null. */
interface FakeReply {
  readonly result: unknown;
  readonly error: string | null;
}

export interface FakeService {
  readonly host: string;
  readonly received: ReceivedRequest[];
  close(): void;
}

/** Starts a service that answers each call as `reply` says, for tests of what the command-line client sends and prints. */
export async function startFakeService(reply: (call: ReceivedCall) => FakeReply): Promise<FakeService> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const call: ReceivedCall = JSON.parse(body);
      received.push({ verb: request.method, path: request.url, headers: request.headers, call });
      response.end(JSON.stringify({ id: call.id, ...reply(call) }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { host: `http://127.0.0.1:${port}`, received, close: () => void server.close() };
}
