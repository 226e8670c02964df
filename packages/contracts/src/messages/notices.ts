import * as v from 'valibot';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encodes the event that a user has changed, or, with null, that any may have; workers of 0.1.0 send the latter alone. */
export function encodeCallersChanged(userId: number | null): Uint8Array {
  return encoder.encode(userId === null ? '' : String(userId));
}

/** Decodes the event; returns null, for all users, for any other message. */
export function decodeCallersChanged(bytes: Uint8Array): number | null {
  const text = decoder.decode(bytes.subarray(0, 20));
  const userId = /^\d+$/.test(text) ? Number(text) : null;
  return Number.isSafeInteger(userId) ? userId : null;
}

const OperationEndedSchema = v.object({
  operationId: v.string(),
  repositoryId: v.number(),
  /** Source repository of a fork; no other operation changes the source while the fork is being made. */
  sourceRepositoryId: v.nullable(v.number()),
});

/** Event that workers publish when an operation, or an attempt at one, has ended. */
export type OperationEnded = v.InferOutput<typeof OperationEndedSchema>;

export function encodeOperationEnded(ended: OperationEnded): Uint8Array {
  return encoder.encode(JSON.stringify(ended));
}

/** Decodes the event; returns null for any other message. */
export function decodeOperationEnded(bytes: Uint8Array): OperationEnded | null {
  try {
    return v.parse(OperationEndedSchema, JSON.parse(decoder.decode(bytes)));
  } catch {
    return null;
  }
}

/** Reads that one message may name. */
export const readIdsMax = 1_000;

const ReadIds = v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.maxLength(readIdsMax));

/** Encodes the request ids of reads: those that a gateway waits for, or those of them that a worker runs. */
export function encodeReadIds(ids: readonly string[]): Uint8Array {
  return encoder.encode(JSON.stringify(ids));
}

/** Decodes request ids; returns none for any other message. */
export function decodeReadIds(bytes: Uint8Array): readonly string[] {
  try {
    return v.parse(ReadIds, JSON.parse(decoder.decode(bytes)));
  } catch {
    return [];
  }
}
