import * as v from 'valibot';

/** Reads that one message may name. */
export const readIdsMax = 1_000;

const ReadIds = v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.maxLength(readIdsMax));

const encoder = new TextEncoder();
const decoder = new TextDecoder();

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
