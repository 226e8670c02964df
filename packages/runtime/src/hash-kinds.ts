// Apart from `match-hash.ts`, whose libraries only threads load.

/** Hash of an unknown password with our parameters, so that users without a password cost the same work. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$gsvIYDir2QKYniL6JN1mkw$7GVNnHCSpK+50Nb4fCxLjPNH550RvvffsmfFaL5kTv4';

/** Returns whether a hash is one that another program has made, and that an import has taken on as it is. */
export function isForeignHash(hash: string): boolean {
  return !hash.startsWith('$argon2');
}
