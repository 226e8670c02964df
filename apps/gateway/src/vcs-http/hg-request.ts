import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hgCapsCharsMax, hgPushArgsBytesMax, InvalidRequestError, type HgReadCommand } from '@trunkline/contracts';
import { bodyLimits, openBody, type OpenBody } from './request-body.ts';

/** Bytes of the arguments of one command: the ids of 200,000 heads. */
const argsBytesMax = 8 * 1024 * 1024;
const headersMax = 1_000;

/** Returns a long value that Mercurial has spread over headers with numbers: `x-hgarg-1`, `x-hgarg-2` and so on. */
function spreadValue(headers: IncomingHttpHeaders, name: string): string {
  const parts: string[] = [];
  for (let number = 1; number <= headersMax; number += 1) {
    const part = headers[`${name}-${number}`];
    if (typeof part !== 'string') break;
    parts.push(part);
  }
  return parts.join('');
}

/** Returns the arguments in the query: all of it but the command. */
function queryArgs(url: string): string {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return query
    .split('&')
    .filter((pair) => pair !== '' && !/^cmd(?:=|$)/.test(pair))
    .join('&');
}

/** Yields the arguments in a body of a length that was announced, then those of the query. */
async function* bodyArgs({ pieces }: OpenBody, length: number, more: string): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > length) break;
    yield piece;
  }
  if (bytes !== length) throw new InvalidRequestError('X-HgArgs-Post must be the length of the body');
  if (more !== '') yield Buffer.from(`&${more}`, 'latin1');
}

/** Returns what a Mercurial client says that it understands. */
export function hgCaps(headers: IncomingHttpHeaders): string {
  const caps = spreadValue(headers, 'x-hgproto');
  if (caps.length <= hgCapsCharsMax && /^[ -~]*$/.test(caps)) return caps;
  throw new InvalidRequestError(`X-HgProto-<number> must be ASCII of at most ${hgCapsCharsMax} characters`);
}

/** Returns how many bytes at the beginning of the body are arguments. */
function announcedArgs({ 'x-hgargs-post': announced = '0' }: IncomingHttpHeaders): number {
  if (typeof announced === 'string' && /^\d{1,9}$/.test(announced)) return Number(announced);
  throw new InvalidRequestError('X-HgArgs-Post must be a number of bytes');
}

const argsBesideBody = ({ headers, url = '' }: IncomingMessage): string =>
  [spreadValue(headers, 'x-hgarg'), queryArgs(url)].filter((part) => part !== '').join('&');

/** Returns the arguments of a command that pushes, in the form of a query, as far as they are not in the body. */
export function hgPushArgs(incoming: IncomingMessage): { readonly args: string; readonly argsBytes: number } {
  const [args, argsBytes] = [argsBesideBody(incoming), announcedArgs(incoming.headers)];
  if (args.length + argsBytes > hgPushArgsBytesMax || !/^[ -~]*$/.test(args)) {
    throw new InvalidRequestError(`Arguments must be ASCII of at most ${hgPushArgsBytesMax} bytes`);
  }
  return { args, argsBytes };
}

/**
 * Returns whether a client may be about to push that cannot repeat its push with a login, since it sends arguments in
 * bodies: it asks for phases, as clients that push do, and `hg incoming`.
 */
export function mayPushUnrepeatably({ headers }: IncomingMessage, command: HgReadCommand, args: Buffer): boolean {
  if (command !== 'listkeys' || announcedArgs(headers) === 0) return false;
  return new URLSearchParams(args.toString('latin1')).get('namespace') === 'phases';
}

/**
 * Opens the arguments of a Mercurial command, in the form of a query: they are the body of a request that says so with
 * `X-HgArgs-Post`, else in headers `X-HgArg-<number>`; both go before those in the query.
 */
export function openHgArgs(incoming: IncomingMessage): OpenBody {
  const announced = announcedArgs(incoming.headers);
  if (announced > 0) {
    const body = openBody(incoming, { ...bodyLimits, bytesMax: argsBytesMax });
    return { pieces: bodyArgs(body, announced, queryArgs(incoming.url ?? '')), end: () => body.end() };
  }
  const all = argsBesideBody(incoming);
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(all, 'latin1');
  };
  return { pieces: pieces(), end: () => {} };
}
