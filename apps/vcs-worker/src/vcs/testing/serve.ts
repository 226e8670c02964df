import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SecureContextOptions } from 'node:tls';
import { plainEnvironment } from './tools.ts';

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

export async function serve(answer: RequestListener, host = '127.0.0.1', tls?: SecureContextOptions): Promise<Served> {
  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
}

/** Returns a listener that runs `git http-backend` for each request, for the repositories below `root`. */
export function gitHttpBackend(root: string): RequestListener {
  return (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://host.example');
    const env = {
      ...plainEnvironment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    };
    const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    request.pipe(child.stdin.on('error', () => {}));
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => answerFrom(Buffer.concat(chunks), response));
  };
}

/** Returns a listener that sends the files below `root`, as a web server that knows no git. */
export function fileServer(root: string): RequestListener {
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host.example');
    const file = createReadStream(join(root, decodeURIComponent(pathname)));
    file.on('error', () => response.writeHead(404).end()).pipe(response);
  };
}

function answerFrom(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf('\r\n\r\n');
  for (const line of output.toString('latin1', 0, end).split('\r\n')) {
    const [name = '', value = ''] = line.split(': ');
    if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.end(output.subarray(end + 4));
}

/** Starts `hg serve` on a repository; `forwardToHg` passes requests on to that server, without their credentials. */
export async function startHg(directory: string): Promise<{ forwardToHg: RequestListener; close(): Promise<void> }> {
  const child = spawn('hg', ['serve', '-a', '127.0.0.1', '-p', '0', '--print-url'], {
    cwd: directory,
    env: { ...plainEnvironment, PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { port } = new URL(String(line));
  const forwardToHg: RequestListener = (request, response) => {
    void forwardTo(`http://127.0.0.1:${port}${request.url ?? '/'}`, request, response);
  };
  return {
    forwardToHg,
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function forwardTo(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
    ['host', 'connection', 'authorization'].includes(name)
      ? []
      : values.map((value): [string, string] => [name, value]),
  );
  const body = [];
  for await (const chunk of request) body.push(chunk);
  const sent = request.method === 'POST' ? { body: Buffer.concat(body) } : {};
  const answer = await fetch(url, { method: request.method ?? 'GET', headers, ...sent });
  response.writeHead(answer.status, { 'Content-Type': answer.headers.get('Content-Type') ?? '' });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

/** Wraps a listener so that it answers only requests with this login, `user:password`, and the others get 401. */
export function requireLogin(login: string, answer: RequestListener): RequestListener {
  const expected = `Basic ${Buffer.from(login).toString('base64')}`;
  return (request, response) => {
    if (request.headers.authorization === expected) return answer(request, response);
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="test"' }).end();
  };
}

/** Returns bytes as a stored (uncompressed) DEFLATE block that is not the last one. */
function stored(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes]);
}

/** Sends `plain`, then a zlib stream that unpacks to `begin` and, every 20 ms, one further zero, without end. */
export function drip(response: ServerResponse, plain: Buffer, begin: Buffer): void {
  response.write(Buffer.concat([plain, Buffer.from([0x78, 0x01]), stored(begin)]));
  const timer = setInterval(() => response.write(stored(Buffer.alloc(1))), 20);
  response.on('close', () => clearInterval(timer));
}
