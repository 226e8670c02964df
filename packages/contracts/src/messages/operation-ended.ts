import * as v from 'valibot';

const OperationEndedSchema = v.object({
  operationId: v.string(),
  repositoryId: v.number(),
  /** What a fork was made from: nothing changes that while the fork is being made. */
  sourceRepositoryId: v.nullable(v.number()),
});

/** The end of an operation, or of an attempt at one, as workers announce it. */
export type OperationEnded = v.InferOutput<typeof OperationEndedSchema>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeOperationEnded(ended: OperationEnded): Uint8Array {
  return encoder.encode(JSON.stringify(ended));
}

/** Null for a message that names no operation. */
export function decodeOperationEnded(bytes: Uint8Array): OperationEnded | null {
  try {
    return v.parse(OperationEndedSchema, JSON.parse(decoder.decode(bytes)));
  } catch {
    return null;
  }
}
