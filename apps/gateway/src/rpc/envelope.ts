import { InvalidRequestError, requestMembers } from '@trunkline/contracts';
import { scanJson } from './json-scan.ts';

const depthMax = 32;
const decoder = new TextDecoder('utf-8', { fatal: true });

type Members = Readonly<Record<string, unknown>>;

/** A request whose id is known; `readEnvelope` checks its other members. */
export interface OpenedEnvelope {
  /** The id as the client wrote it: JSON. */
  readonly rawId: string;
  readonly members: Members;
}

export interface RpcRequest {
  readonly apiKey: unknown;
  readonly method: unknown;
  readonly args: unknown;
}

/** Creates a parse error; reasons are fixed texts: the parser's own messages quote the body, which holds a key. */
function parseError(reason: string): InvalidRequestError {
  return new InvalidRequestError(`JSON parse error ERR:${reason}`);
}

function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw parseError('invalid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw parseError('invalid JSON');
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function has(members: Members, name: string): boolean {
  return Object.hasOwn(members, name) || (name === 'api_key' && Object.hasOwn(members, 'auth_token'));
}

/**
 * Parses a body and finds its id; throws InvalidRequestError for a body that is no JSON object within the depth limit,
 * or has no key or no id. The reply to such a request has the id null.
 */
export function openEnvelope(body: Uint8Array): OpenedEnvelope {
  const text = decode(body);
  const { tooDeep, rawValue: rawId } = scanJson(text, 'id', depthMax);
  if (tooDeep) throw parseError(`nested deeper than ${depthMax} levels`);
  const members = parse(text);
  if (!isObject(members) || !has(members, 'api_key')) throw missing('api_key');
  if (rawId === null) throw missing('id');
  return { rawId, members };
}

/** Reads the members of a request; throws InvalidRequestError for the first one that is missing. */
export function readEnvelope(members: Members): RpcRequest {
  for (const name of requestMembers) if (!has(members, name)) throw missing(name);
  const apiKey = Object.hasOwn(members, 'api_key') ? members['api_key'] : members['auth_token'];
  return { apiKey, method: members['method'], args: members['args'] };
}

function missing(name: (typeof requestMembers)[number]): InvalidRequestError {
  return new InvalidRequestError(`Incorrect JSON query missing '${name}'`);
}
