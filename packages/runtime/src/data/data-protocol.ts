import { timingSafeEqual } from 'node:crypto';
import type { DataOffer } from '@trunkline/contracts';

/**
 * Bytes that one end of a transfer keeps ready in each direction. With less, which is the default of Node.js, a socket is
 * stopped and started again for each of its reads.
 */
export const dataBufferBytes = 256 * 1024;

/** Bytes of an answer that its reader has ready. The buffers above hold what a slow reader leaves beyond that. */
export const answerBufferBytes = 64 * 1024;

const texts = {
  busy: 'too many transfers are under way',
  forged: 'the offer is not signed by a worker with the same TRUNKLINE_SECRET',
  'address-refused': 'its address does not lie in TRUNKLINE_DATA_NETWORKS',
  'unknown-host': 'its host name cannot be resolved',
  unreachable: 'no connection could be opened',
  refused: 'it does not accept the ticket',
  cut: 'the transfer ended before it was complete',
  idle: 'no bytes were transferred for too long',
  late: 'the transfer took too long',
  'too-large': 'more bytes came than were allowed',
  cancelled: 'the transfer was cancelled',
} as const;

export type DataErrorReason = keyof typeof texts;

/** A transfer over a data port has failed. Its message is for the log. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly reason: DataErrorReason;

  constructor(reason: DataErrorReason, cause?: unknown) {
    super(texts[reason], { cause });
    this.reason = reason;
  }
}

/** The HMACs of the instance's secrets that data ports use: one to sign, all to verify. */
export interface DataVault {
  hmac(purpose: 'wire data', content: string): Buffer;
  hmacs(purpose: 'wire data', content: string): readonly Buffer[];
}

/** Header with which the holder of a ticket proves to have the secret. */
export const hmacHeader = 'Trunkline-Hmac';

/** Trailer of an answer: `ok` when it is complete, else `cut`. */
export const endTrailer = 'Trunkline-End';

type Signed = Omit<DataOffer, 'hmac'>;

/** What is signed: by the worker for an offer, by the other end when it uses the ticket. */
function contentOf(use: 'offer' | 'ticket', { address, ticket, expiresMs }: Signed, requestId: string): string {
  return JSON.stringify([use, ticket, address, expiresMs, requestId]);
}

/** Returns the HMAC of one use of an offer, in base64url. */
export function signData(vault: DataVault, use: 'offer' | 'ticket', offer: Signed, requestId: string): string {
  return vault.hmac('wire data', contentOf(use, offer, requestId)).toString('base64url');
}

/** Returns whether this is an HMAC of one use of an offer, compared in constant time. */
export function isSignedData(
  vault: DataVault,
  use: 'offer' | 'ticket',
  { offer, requestId, hmac }: { offer: Signed; requestId: string; hmac: string },
): boolean {
  const given = Buffer.from(hmac, 'base64url');
  const expected = vault.hmacs('wire data', contentOf(use, offer, requestId));
  return expected.filter((one) => one.length === given.length && timingSafeEqual(one, given)).length > 0;
}
