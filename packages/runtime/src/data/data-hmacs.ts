import { timingSafeEqual } from 'node:crypto';
import type { DataOffer } from '@trunkline/contracts';

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
