import { hash, verify } from '@node-rs/argon2';
import { BusyError } from '@trunkline/contracts';
import { Semaphore } from './concurrency/semaphore.ts';

/** Limit of concurrent hashing, which must not take all cores from other calls. */
const hashing = new Semaphore({ limit: 2, queueMax: 100, refuse: () => new BusyError({ quota: 'passwords' }) });
/** Longest wait for a hash; the hundred before it take some seconds. */
const timeoutMs = 20_000;
/** Hash of an unknown password with the parameters of `hash`, so that users without a password cost the same work. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$gsvIYDir2QKYniL6JN1mkw$7GVNnHCSpK+50Nb4fCxLjPNH550RvvffsmfFaL5kTv4';
/** Hashes a password with argon2id and a new salt. */
export function hashPassword(password: string): Promise<string> {
  return hashing.run(() => hash(password), { timeoutMs });
}

/** Returns whether a password matches a hash; without a hash returns false after the same work. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const right = await hashing.run(() => verify(passwordHash ?? dummyHash, password), { timeoutMs });
  return right && passwordHash !== null;
}
