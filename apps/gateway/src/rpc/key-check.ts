import type { Authenticate, Identity } from '../authn/authenticate.ts';
import { findKey } from './envelope.ts';

export interface KeyCheck {
  /** Authenticates the key in the beginning of a body; returns its user's name in quotas, or null. */
  findUser(this: void, beginning: Buffer): Promise<string | null>;
  /** Authenticates the request's key, unless the beginning of the body has shown the same one. */
  authenticate(apiKey: string | null): Promise<Identity>;
}

/** Creates the check of one request's key: a key is authenticated, and charged to limits, once for a request. */
export function createKeyCheck(authenticate: Authenticate, ip: string): KeyCheck {
  let early: { readonly key: string; readonly identity: Promise<Identity> } | null = null;
  return {
    async findUser(beginning) {
      const key = findKey(beginning);
      if (key === null) return null;
      const identity = authenticate(key, ip);
      early = { key, identity };
      return identity.then(
        ({ userId }) => `user ${userId}`,
        () => null,
      );
    },
    authenticate: (apiKey) => (early !== null && early.key === apiKey ? early.identity : authenticate(apiKey, ip)),
  };
}
