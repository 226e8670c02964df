import { hash, verify } from '@node-rs/argon2';
import { BusyError } from '@trunkline/contracts';
import { Semaphore } from './concurrency/semaphore.ts';

/** Hashing must not take the cores from the calls beside it. */
const hashing = new Semaphore({ limit: 2, queueMax: 200, refuse: () => new BusyError() });
/** The hash of an unknown password, made with the parameters of `hash`, so that a user without one costs the same work. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$gsvIYDir2QKYniL6JN1mkw$7GVNnHCSpK+50Nb4fCxLjPNH550RvvffsmfFaL5kTv4';
/** argon2id with a salt of its own. */
export function hashPassword(password: string): Promise<string> {
  return hashing.run(() => hash(password));
}

/** Whether a password matches a hash; without a hash it does not, after the same work. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const right = await hashing.run(() => verify(passwordHash ?? dummyHash, password));
  return right && passwordHash !== null;
}
