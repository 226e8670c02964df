import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { randomInt } from 'node:crypto';
import type { ReplyEnvelope } from '@trunkline/contracts';
import { failureReason, NetworkError } from './client-error.ts';

export type Reply = Pick<ReplyEnvelope, 'result' | 'error'>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses the reply to the call with this id; returns undefined for any other text. */
export function readReply(text: string, sentId: number): Reply | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('id' in value && 'result' in value && 'error' in value)) return undefined;
  const { id, result, error } = value;
  if (error !== null && typeof error !== 'string') return undefined;
  // A service that could not read the call's id replies with an error and the id null.
  const isReplyToCall = id === sentId || (id === null && error !== null);
  return isReplyToCall ? { result, error } : undefined;
}

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const keepAliveMs = 30_000;

/**
 * Posts a body and returns the response; rejects after `silenceMsMax` milliseconds without traffic. Uses node:http,
 * since fetch times out when a response begins after more than five minutes, and a pull or an import may take an hour.
 * TCP keep-alive detects a peer that has gone.
 */
export function post(url: URL, body: string, silenceMsMax: number): Promise<HttpAnswer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
      timeout: silenceMsMax,
      headers: { 'Content-Type': 'text/plain', 'Content-Length': Buffer.byteLength(body) },
    });
    request.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
    request.on('response', (response) => {
      text(response).then((whole) => resolve({ status: response.statusCode ?? 0, body: whole }), reject);
    });
    request.end(body);
  });
}

interface Call {
  readonly apikey: string;
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
}

const silenceMsMax = 2 * 3_600_000;

/** Sends one call and returns the service's reply; throws NetworkError when no valid reply arrives. */
export async function callService(endpoint: URL, { apikey, method, args }: Call): Promise<Reply> {
  const id = randomInt(1, 9_999);
  const body = JSON.stringify({ id, api_key: apikey, method, args });
  const answer = await post(endpoint, body, silenceMsMax).catch((error: unknown) => {
    throw new NetworkError(`Could not call ${endpoint.origin}: ${failureReason(error)}`);
  });
  const reply = readReply(answer.body, id);
  if (reply) return reply;
  throw new NetworkError(`The response of ${endpoint.origin} (HTTP ${answer.status}) is not a reply to this call`);
}
