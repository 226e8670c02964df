import * as v from 'valibot';

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

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Decodes an offer without verifying it; returns null for any other message. */
export function decodeDataOffer(bytes: Uint8Array): DataOffer | null {
  if (bytes.length > encodedBytesMax) return null;
  try {
    return v.parse(DataOfferSchema, JSON.parse(decoder.decode(bytes)));
  } catch {
    return null;
  }
}
