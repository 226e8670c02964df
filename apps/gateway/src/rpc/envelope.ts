import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  findMethod,
  InvalidRequestError,
  MethodNotFoundError,
  methods,
  requestMembers,
  type Method,
} from '@trunkline/contracts';
import { scanJson, type ScanFailure } from './json-scan.ts';
import { compact } from './json-tokens.ts';

/** Values and names of a request; the largest list of arguments that a method takes has some hundreds. */
const tokensMax = 100_000;
const limits = { names: [...requestMembers, 'auth_token'], depthMax: 32, tokensMax };
const byteOrderMark = Buffer.from('\ufeff');

/** Bytes of JSON that may spell a key, with each of its 40 characters escaped. */
const keyBytesMax = 40 * 6 + 2;
/** Bytes of a method's name that are decoded before the key is known. */
const methodBytesMax = 400;

/** Member of a request as it was written; nothing of it is built before it is parsed. */
type Members = ReadonlyMap<string, Uint8Array>;

/** A request whose id is known; `readEnvelope` checks its other members. */
interface OpenedEnvelope {
  /** The id as the client wrote it: JSON. */
  readonly rawId: string;
  readonly members: Members;
}

interface RpcRequest {
  /** The key as sent; null for a value that is no key. */
  readonly apiKey: string | null;
  /** The method's name if it is a short text: for the log of calls whose key is refused. */
  readonly shownMethod: string | null;
  /** Parses the method and the arguments, whose cost is the caller's: it is called when the key is accepted. */
  parse(): {
    readonly sentMethod: unknown;
    readonly args: unknown;
    /** The result of `test` as JSON: its argument as it was written; null for other methods. */
    readonly echo: Buffer | null;
  };
}

const failureReasons: Readonly<Record<ScanFailure, string>> = {
  syntax: 'invalid JSON',
  depth: `nested deeper than ${limits.depthMax} levels`,
  tokens: `more than ${tokensMax} values and names`,
};

/** Creates a parse error; reasons are fixed texts: nothing of the body is repeated, which holds a key. */
function parseError(reason: string): InvalidRequestError {
  return new InvalidRequestError(`JSON parse error ERR:${reason}`);
}

function withoutByteOrderMark(body: Buffer): Buffer {
  return body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body;
}

function parse(json: Uint8Array | undefined): unknown {
  return json && JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString());
}

/** Parses a member that is a text of at most so many bytes; returns null for any other value. */
function shortText(json: Uint8Array | undefined, bytesMax: number): string | null {
  const value = json && json.length <= bytesMax ? parse(json) : null;
  return typeof value === 'string' ? value : null;
}

const keyOf = (members: Members) => members.get('api_key') ?? members.get('auth_token');

/** Finds the key in the beginning of a body, of which the rest has not arrived; null when it is not there. */
export function findKey(beginning: Buffer): string | null {
  return shortText(keyOf(scanJson(withoutByteOrderMark(beginning), limits).members), keyBytesMax);
}

/**
 * Scans a body and finds its id; throws InvalidRequestError for a body that is no JSON object within the limits, or has
 * no key or no id. The reply to such a request has the id null.
 */
export function openEnvelope(body: Buffer): OpenedEnvelope {
  if (!isUtf8(body)) throw parseError('invalid UTF-8');
  const { failure, members } = scanJson(withoutByteOrderMark(body), limits);
  if (failure) throw parseError(failureReasons[failure]);
  if (!keyOf(members)) throw missing('api_key');
  const id = members.get('id');
  if (!id) throw missing('id');
  return { rawId: compact(id).toString(), members };
}

/** Reads the members of a request; throws InvalidRequestError for the first one that is missing. */
export function readEnvelope(members: Members): RpcRequest {
  for (const name of ['method', 'args'] as const) if (!members.has(name)) throw missing(name);
  return {
    apiKey: shortText(keyOf(members), keyBytesMax),
    shownMethod: shortText(members.get('method'), methodBytesMax),
    parse: () => {
      const sentMethod = parse(members.get('method'));
      const args = members.get('args');
      const echo = sentMethod === methods.test.name ? echoOf(args) : null;
      return { sentMethod, args: parse(args), echo };
    },
  };
}

/** Parsing would change numbers such as 1.0. */
function echoOf(args: Uint8Array | undefined): Buffer | null {
  const argument = args && scanJson(args, { ...limits, names: ['args'] }).members.get('args');
  return argument ? compact(argument) : null;
}

function missing(name: (typeof requestMembers)[number]): InvalidRequestError {
  return new InvalidRequestError(`Incorrect JSON query missing '${name}'`);
}

/**
 * Throws InvalidRequestError for a content encoding, a verb other than POST or an empty body. The content type is
 * ignored: clients send text/plain.
 */
export function checkRequest({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, body: Uint8Array): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw new InvalidRequestError('Content-Encoding is not supported');
  if (method !== 'POST') throw new InvalidRequestError('Only POST is supported');
  if (body.length === 0) throw new InvalidRequestError('Content-Length is 0');
}

/** Finds a method by its name or an alias; throws MethodNotFoundError for any other value. */
export function requireMethod(sent: unknown): Method {
  if (typeof sent === 'string' && sent.startsWith('_')) throw new MethodNotFoundError('Method not allowed');
  const method = typeof sent === 'string' ? findMethod(sent) : undefined;
  if (method) return method;
  throw new MethodNotFoundError(`No such method: ${typeof sent === 'string' ? sent : JSON.stringify(sent)}`);
}
