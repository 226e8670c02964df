import { AuthenticationError } from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';
import { addressAllowed } from '@trunkline/runtime';
import type { CallerCache } from './caller-cache.ts';
import type { LookUp } from './caller-look-up.ts';
import type { KeyMacs, StoredCaller } from './caller-store.ts';
import type { NoteKeyUse } from './key-use.ts';
import type { LookUpThrottle } from './look-up-throttle.ts';

export interface Identity {
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  readonly apiKeyId: number;
}

/** Throws AuthenticationError for a key that is not accepted, from this address. */
export type Authenticate = (apiKey: unknown, ip: string) => Promise<Identity>;

export interface AuthenticateTools {
  readonly vault: Pick<SecretVault, 'macs'>;
  readonly cache: CallerCache;
  readonly lookUp: LookUp;
  readonly throttle: LookUpThrottle;
  readonly noteUse: NoteKeyUse;
}

const keyPattern = /^[0-9a-f]{40}$/;
const absentMac = Buffer.alloc(32);

/** Compares in constant time, whether the key exists or not. */
function isUsable(found: StoredCaller | undefined, macs: KeyMacs): found is StoredCaller {
  const same = isOneOf(found?.mac ?? absentMac, macs);
  return same && found !== undefined && found.usable;
}

export function createAuthenticate({ vault, cache, lookUp, throttle, noteUse }: AuthenticateTools): Authenticate {
  return async (apiKey, ip) => {
    if (typeof apiKey !== 'string' || !keyPattern.test(apiKey)) throw new AuthenticationError('Invalid API key');
    const macs = vault.macs(apiKey);
    const [mac] = macs;

    const known = cache.get(mac);
    if (known && addressAllowed(ip, known.networks)) return known;

    // Refusals are decided on a fresh read, except for keys that were unknown a moment ago.
    const { epoch } = cache;
    const find = async () => {
      if (cache.isUnknown(mac)) return undefined;
      const read = await lookUp.find(macs);
      if (!read) cache.keepUnknown(mac, epoch);
      return read;
    };
    const found = await throttle.run(ip, find, (read) => isUsable(read, macs));
    if (!isUsable(found, macs)) {
      cache.forget(mac);
      throw new AuthenticationError('Invalid API key');
    }
    cache.keep(mac, found, epoch);
    if (!addressAllowed(ip, found.networks)) throw new AuthenticationError(`request from IP:${ip} not allowed`);
    noteUse(found.apiKeyId);
    return found;
  };
}
