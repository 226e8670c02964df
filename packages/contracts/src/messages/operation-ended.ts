import * as v from 'valibot';

const OperationEndedSchema = v.object({
  operationId: v.string(),
  repositoryId: v.number(),
  /** Source repository of a fork; no other operation changes the source while the fork is being made. */
  sourceRepositoryId: v.nullable(v.number()),
});

/** Event that workers publish when an operation, or an attempt at one, has ended. */
export type OperationEnded = v.InferOutput<typeof OperationEndedSchema>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

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
