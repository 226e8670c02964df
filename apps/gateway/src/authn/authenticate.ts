import { AuthenticationError, limitedKeyText, type KeyLimit } from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';
import { addressAllowed } from '@trunkline/runtime';
import type { CallerCache } from './caller-cache.ts';
import type { KeyHmacs, LookUp, RecordKeyUse, StoredCaller } from './caller-store.ts';
import type { LookUpThrottle } from './guess-throttles.ts';

/** Returns the error of a caller whose credentials are right, and who may not call from this address. */
export function addressRefused(ip: string): AuthenticationError {
  return new AuthenticationError(`request from IP:${ip} not allowed`);
}

/** Returns whether an error of this gateway or of a worker is that of `addressRefused`. */
export function isAddressRefused(error: unknown, ip: string): error is AuthenticationError {
  return error instanceof AuthenticationError && error.message === addressRefused(ip).message;
}

/** An API key: 160 bits, and fewer in one that an import has taken on with `--weak-keys`. */
export const keyPattern = /^[0-9a-f]{20,40}$/;

export interface Identity {
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  readonly apiKeyId: number;
  /** What the key is limited to; null for a key without a limit. */
  readonly limitedTo: KeyLimit | null;
}

/** Returns the owner of an API key; throws AuthenticationError for an invalid key or an address that is not allowed. */
export type Authenticate = (apiKey: unknown, ip: string) => Promise<Identity>;

export interface AuthenticateTools {
  readonly vault: Pick<SecretVault, 'keyHmacs'>;
  readonly cache: CallerCache;
  readonly lookUp: LookUp;
  readonly throttle: LookUpThrottle;
  readonly recordKeyUse: RecordKeyUse;
}

const absentHmac = Buffer.alloc(32);

/** Returns whether the key is usable; compares HMACs in constant time, also when the key does not exist. */
function isUsable(found: StoredCaller | undefined, hmacs: KeyHmacs): found is StoredCaller {
  const same = isOneOf(found?.hmac ?? absentHmac, hmacs);
  return same && found !== undefined && found.usable;
}

export function createAuthenticate({ vault, cache, lookUp, throttle, recordKeyUse }: AuthenticateTools): Authenticate {
  return async (apiKey, ip) => {
    if (typeof apiKey !== 'string' || !keyPattern.test(apiKey)) throw new AuthenticationError('Invalid API key');
    const hmacs = vault.keyHmacs(apiKey);
    const [hmac] = hmacs;

    const known = cache.get(hmac);
    if (known && addressAllowed(ip, known.networks)) return known;

    // A refusal is decided on a fresh database read, except for a key that is cached as unknown.
    const { epoch } = cache;
    const find = async () => {
      if (cache.isUnknown(hmac)) return undefined;
      const read = await lookUp.find(hmacs);
      if (!read) cache.keepUnknown(hmac, epoch);
      return read;
    };
    const found = await throttle.run(ip, find, (read) => isUsable(read, hmacs));
    if (!isUsable(found, hmacs)) {
      cache.forget(hmac);
      throw new AuthenticationError('Invalid API key');
    }
    cache.keep(hmac, found, epoch);
    if (!addressAllowed(ip, found.networks)) throw addressRefused(ip);
    recordKeyUse(found.apiKeyId);
    return found;
  };
}

/**
 * Refuses limited keys, which only clients of version control systems may use. The refusal comes after all others, so
 * that nobody learns of a key who could not use it.
 */
export function refuseLimitedKeys(authenticate: Authenticate): Authenticate {
  return async (apiKey, ip) => {
    const identity = await authenticate(apiKey, ip);
    if (identity.limitedTo !== null) throw new AuthenticationError(limitedKeyText(identity.limitedTo));
    return identity;
  };
}
