import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import type { GitHttpRequest, HttpClient } from 'isomorphic-git';
import type { EgressSession } from '../egress/egress-guard.ts';
import { requestThrough } from '../egress/request-through.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { VcsError } from '../vcs-error.ts';
import { isWholeAnswer } from './protocol/pkt-line.ts';

export interface SmartHttpOptions {
  readonly session: EgressSession;
  readonly trust: () => SecureContext;
  /** The remote's URL without credentials. */
  readonly url: string;
  readonly bytesMax: number;
}

const redirectsMax = 5;
const redirectStatuses: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const chunkBytes = 65_536;
const firstPktLine = /^[0-9a-f]{4}(?:# service=|version |ERR |[0-9a-f]{40} )/u;
const tlsFailure = /certificate|SSL|TLS/u;
const servedFile = /^[0-9a-f]{40,64}\trefs\//u;

/**
 * Creates the HTTP client with which isomorphic-git reaches one remote: through the egress guard, with a limit of
 * bytes, and with credentials for the remote's own origin only.
 */
export function createSmartHttpClient({ session, trust, url: given, bytesMax }: SmartHttpOptions): HttpClient {
  const { origin } = new URL(given);
  // The remote's URL after redirects of the first request; later requests go there.
  let base = given;

  const send = async (url: URL, { method = 'GET', headers = {} }: GitHttpRequest, body: Buffer) => {
    const { Authorization: login, ...others } = headers;
    const allowed = login !== undefined && url.origin === origin ? { Authorization: login } : {};
    try {
      const sent = { method, body, trust, headers: { 'User-Agent': 'git/trunkline', ...others, ...allowed } };
      return await requestThrough(session, url, sent);
    } catch (error) {
      throw toSafeError(error);
    }
  };

  return {
    async request(request) {
      const suffix = request.url.slice(given.length);
      const body = await collect(request.body ?? [], bytesMax);
      for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
        const url = new URL(`${base}${suffix}`);
        const answer = await send(url, request, body);
        const { location } = answer.headers;
        if (request.method !== 'GET' || !redirectStatuses.includes(answer.statusCode) || location === undefined) {
          return await toGitResponse(url, answer, bytesMax);
        }
        answer.destroy();
        base = movedBase(url, location, suffix);
      }
      throw new RemoteError('broken remote', 'too many redirects');
    },
  };
}

function movedBase(from: URL, location: string, suffix: string): string {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const secure = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:');
  if (to && !secure) throw new RemoteError('address refused', 'redirected to another scheme');
  const path = to && `${to.pathname}${to.search}`;
  if (!to || !path?.endsWith(suffix)) {
    throw new RemoteError('not a repository', 'redirected to what is no repository');
  }
  return `${to.origin}${path.slice(0, -suffix.length)}`;
}

async function toGitResponse(url: URL, answer: IncomingMessage, bytesMax: number) {
  const { statusCode = 0, headers } = answer;
  const response = { url: url.href, statusCode, statusMessage: '' };
  if (statusCode !== 200) {
    answer.destroy();
    return { ...response, body: inChunks(Buffer.alloc(0)) };
  }
  const body = await collect(answer, bytesMax);
  if (!isWholeAnswer(body)) throw wrongProtocolError(body);
  return { ...response, headers: { 'content-type': headers['content-type'] ?? '' }, body: inChunks(body) };
}

async function collect(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of parts) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new VcsError('too-large', `more than ${bytesMax} bytes received`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw toSafeError(error);
  }
  return Buffer.concat(chunks, bytes);
}

// A plain Error leaves a repository that is served as plain files to native git, which can fetch from it. Every other
// answer fails here: from a site that answers every path with a page, native git would fetch an empty repository.
function wrongProtocolError(body: Buffer): Error {
  const head = body.toString('latin1', 0, 80);
  if (servedFile.test(head)) return new Error('a file of a repository');
  return new RemoteError(
    firstPktLine.test(head) ? 'broken remote' : 'not a repository',
    'the remote answered with something else',
  );
}

// Yields to the event loop before each chunk, so that parsing a long answer does not block the worker.
async function* inChunks(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += chunkBytes) {
    await nextTurn();
    yield body.subarray(at, at + chunkBytes);
  }
}

// Some errors of Node hold bytes that the remote sent, so only the message is kept.
function toSafeError(error: unknown): VcsError {
  if (error instanceof VcsError) return error;
  const message = error instanceof Error ? error.message : 'unknown';
  return new RemoteError(tlsFailure.test(message) ? 'unreachable' : 'broken remote', `the remote failed: ${message}`);
}
