import { timingSafeEqual } from 'node:crypto';
import {
  encodeState,
  joinSignature,
  splitSignature,
  stateRequestIdOf,
  subjects,
  type ProcessState,
} from '@trunkline/contracts';
import type { Bus } from '../bus/bus.ts';
import { RateLimiter } from '../concurrency/index.ts';

/** The HMACs of the instance's secrets for states: one to sign, all to verify. */
export interface StateVault {
  hmac(purpose: 'bus state', content: Uint8Array): Buffer;
  hmacs(purpose: 'bus state', content: Uint8Array): readonly Buffer[];
}

/** One request comes from each gateway whose page is open, every few seconds. */
const limits = { intervalMs: 50, burst: 40, keysMax: 1, now: () => performance.now() };

/** Signs a request for states, or an answer to one. */
export function signState(vault: StateVault, body: Uint8Array): Uint8Array {
  return joinSignature(vault.hmac('bus state', body), body);
}

/** Returns what was signed; null when it was not signed with a secret of the instance. */
export function verifiedState(vault: StateVault, message: Uint8Array): Uint8Array | null {
  const { signature, body } = splitSignature(message);
  const isSigned = vault
    .hmacs('bus state', body)
    .some((hmac) => hmac.length === signature.length && timingSafeEqual(hmac, signature));
  return isSigned ? body : null;
}

/** Answers gateways that ask for the state of all processes, at most 20 times a second. */
export function answerStateRequests(options: {
  readonly bus: Pick<Bus, 'listen' | 'publish'>;
  readonly vault: StateVault;
  readonly read: () => ProcessState;
}): void {
  const { bus, vault, read } = options;
  const limiter = new RateLimiter(limits);
  bus.listen(subjects.stateRequest, (message) => {
    const request = verifiedState(vault, message);
    if (request === null || limiter.take('') > 0) return;
    bus.publish(subjects.stateAnswer, signState(vault, encodeState(stateRequestIdOf(request), read())));
  });
}
