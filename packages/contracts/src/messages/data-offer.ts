import * as v from 'valibot';
import { encodeResult, type WorkerReply } from './worker-reply.ts';

const encodedBytesMax = 1_024;

/** 32 bytes in base64url. */
const Token = v.pipe(v.string(), v.regex(/^[\w-]{43}$/));

/** Schema of an offer; it says nothing about its HMAC. */
export const DataOfferSchema = v.object({
  /** URL of the worker's data port. */
  address: v.pipe(v.string(), v.maxLength(300), v.regex(/^https?:\/\/[^/?#@\\\s]+$/)),
  /** Lets its holder make one transfer. */
  ticket: Token,
  /** Time for which the ticket is valid, in milliseconds. */
  expiresMs: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(60_000)),
  /** HMAC of the worker over all of this and the id of the request that the offer answers. */
  hmac: Token,
});

/** Offer of a worker to transfer bytes over its data port. */
export type DataOffer = v.InferOutput<typeof DataOfferSchema>;

const AnswerOfferSchema = v.object({
  ...DataOfferSchema.entries,
  /** Length of the answer in bytes; null when the worker does not know it. */
  bytes: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
});

/** Offer of the answer to a command that is too large for a message. */
export type AnswerOffer = v.InferOutput<typeof AnswerOfferSchema>;

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode<Offer>(schema: v.GenericSchema<unknown, Offer>, bytes: Uint8Array): Offer | null {
  if (bytes.length > encodedBytesMax) return null;
  try {
    return v.parse(schema, JSON.parse(decoder.decode(bytes)));
  } catch {
    return null;
  }
}

/** Decodes an offer without verifying it; returns null for any other message. */
export function decodeDataOffer(bytes: Uint8Array): DataOffer | null {
  return decode(DataOfferSchema, bytes);
}

export function encodeAnswerOffer(offer: AnswerOffer): WorkerReply {
  return { ...encodeResult(offer), isOffer: true };
}

/** Decodes the offer of an answer without verifying it; returns null for any other message. */
export function decodeAnswerOffer(bytes: Uint8Array): AnswerOffer | null {
  return decode(AnswerOfferSchema, bytes);
}
