import type { ReplyEnvelope } from '@trunkline/contracts';

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
