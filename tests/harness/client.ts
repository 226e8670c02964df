import { findMethod, type ReplyEnvelope } from '@trunkline/contracts';
import * as v from 'valibot';
import { expect } from 'vitest';

export interface Client {
  readonly apiKey: string;
  /** Returns the whole reply; throws when the result does not fit the method's contract. */
  call(method: string, args?: unknown): Promise<ReplyEnvelope>;
  /** Returns the result; fails the test when the reply has an error. */
  result<T = unknown>(method: string, args?: unknown): Promise<T>;
  /** Returns the error text; fails the test when the reply has a result. */
  error(method: string, args?: unknown): Promise<string>;
}

const Envelope = v.strictObject({ id: v.unknown(), result: v.unknown(), error: v.nullable(v.string()) });

/** Posts a raw body to the JSON-RPC endpoint. */
export async function post(baseUrl: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(`${baseUrl}/_admin/api`, { method: 'POST', body, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export function createClient(baseUrl: string, apiKey: string): Client {
  let lastId = 0;
  const call = async (method: string, args: unknown = {}): Promise<ReplyEnvelope> => {
    lastId += 1;
    const id = lastId;
    const { status, text } = await post(baseUrl, JSON.stringify({ id, api_key: apiKey, method, args }));
    expect(status).toBe(200);
    const reply = v.parse(Envelope, JSON.parse(text));
    expect(reply.id).toBe(id);
    const declaration = findMethod(method);
    if (reply.error === null && declaration) v.parse(declaration.result, reply.result);
    return reply;
  };
  return {
    apiKey,
    call,
    async result<T>(method: string, args?: unknown) {
      const reply = await call(method, args);
      expect(reply.error).toBeNull();
      return reply.result as T;
    },
    async error(method, args) {
      const reply = await call(method, args);
      expect(reply.result).toBeNull();
      return String(reply.error);
    },
  };
}
