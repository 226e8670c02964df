import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { forwardRequest, joinSockets } from './forward.ts';
import type { OpenSession } from './open-session.ts';
import { EgressError, parseAuthority, parseHttpUrl, toTarget, type Target } from './target.ts';

/** Answers a forwarded request with an error, or destroys the response when its headers have been sent. */
function refuseRequest(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, text, headers } = toAnswer(error);
  // A client that has sent `Expect` may or may not send its body after this answer, so the connection cannot be reused.
  // One without credentials may be any process of the machine, which is not to hold a connection.
  if (request.headers.expect !== undefined || status === 407) headers['Connection'] = 'close';
  response.writeHead(status, headers);
  response.end(text);
}

/** Answers a CONNECT request with an error. */
function refuseTunnel(client: Socket, error: unknown): void {
  const { status, text, headers } = toAnswer(error);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
  client.destroySoon();
}

function toAnswer(error: unknown): { status: number; text: string; headers: Record<string, string> } {
  const { status, message } = error instanceof EgressError ? error : new EgressError(502, 'remote is unreachable');
  const text = `${message}\n`;
  const headers: Record<string, string> = { 'Content-Type': 'text/plain', 'Content-Length': String(text.length) };
  if (status === 407) headers['Proxy-Authenticate'] = 'Basic realm="trunkline"';
  return { status, text, headers };
}

/** Returns the `user:password` of a Basic Proxy-Authorization header; null when there is no such header. */
function readProxyCredentials(request: IncomingMessage): string | null {
  const encoded = /^basic +([a-z0-9+/]+=*) *$/iu.exec(request.headers['proxy-authorization'] ?? '')?.[1];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString();
}

/** Connections that may wait for the first request of a session. */
const unauthenticatedMax = 256;

/** Serves both kinds of proxy request for the sessions that are open, by their credentials. */
export class EgressProxy {
  readonly #sessions: ReadonlyMap<string, OpenSession>;
  /** Connections without a request of a session so far, which any process of the machine can open; the oldest first. */
  readonly #unauthenticated = new Set<Socket>();

  constructor(sessions: ReadonlyMap<string, OpenSession>) {
    this.#sessions = sessions;
  }

  /** Takes a new connection. Too many without a request close the oldest one: hg, git and ssh send theirs at once. */
  accept(socket: Socket): void {
    this.#unauthenticated.add(socket);
    socket.once('close', () => this.#unauthenticated.delete(socket));
    if (this.#unauthenticated.size <= unauthenticatedMax) return;
    const [oldest] = this.#unauthenticated;
    oldest?.destroy();
  }

  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const session = this.#authenticate(request);
      const url = parseHttpUrl(request.url ?? '');
      const remote = await reach(session, request.socket, toTarget(url));
      await forwardRequest(request, response, { url, remote, paused: () => session.recordPaused() });
    } catch (error) {
      refuseRequest(request, response, error);
    }
  }

  async tunnel(request: IncomingMessage, head: Buffer): Promise<void> {
    const client = request.socket;
    client.on('error', () => client.destroy());
    try {
      const session = this.#authenticate(request);
      const remote = await reach(session, client, parseAuthority(request.url ?? ''));
      client.unshift(head);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.on('data', () => session.recordAsked());
      joinSockets(client, remote);
    } catch (error) {
      refuseTunnel(client, error);
    }
  }

  #authenticate(request: IncomingMessage): OpenSession {
    const session = this.#sessions.get(readProxyCredentials(request) ?? '');
    if (session === undefined) throw new EgressError(407, 'proxy credentials are required');
    session.requireBytesLeft();
    session.adoptClient(request.socket);
    this.#unauthenticated.delete(request.socket);
    return session;
  }
}

async function reach(session: OpenSession, client: Socket, target: Target): Promise<Socket> {
  const remote = await session.connect(target);
  if (!client.destroyed) return remote;
  remote.destroy();
  throw new EgressError(502, 'client is gone');
}
