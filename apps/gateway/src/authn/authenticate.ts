import { timingSafeEqual } from 'node:crypto';
import { AuthenticationError } from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import { addressAllowed } from '@trunkline/runtime';
import type { CallerCache } from './caller-cache.ts';
import type { LookUp } from './caller-look-up.ts';
import type { StoredCaller } from './caller-store.ts';
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
  readonly vault: Pick<SecretVault, 'mac'>;
  readonly cache: CallerCache;
  readonly lookUp: LookUp;
  readonly throttle: LookUpThrottle;
  readonly noteUse: NoteKeyUse;
}

const keyPattern = /^[0-9a-f]{40}$/;
const absentMac = Buffer.alloc(32);

/** The same work for a key that exists and one that does not. */
function isUsable(found: StoredCaller | undefined, mac: Buffer): found is StoredCaller {
  const same = timingSafeEqual(found?.mac ?? absentMac, mac);
  return same && found !== undefined && found.usable;
}

export function createAuthenticate({ vault, cache, lookUp, throttle, noteUse }: AuthenticateTools): Authenticate {
  return async (apiKey, ip) => {
    if (typeof apiKey !== 'string' || !keyPattern.test(apiKey)) throw new AuthenticationError('Invalid API key');
    const mac = vault.mac(apiKey);

    const known = cache.get(mac);
    if (known && addressAllowed(ip, known.networks)) return known;

    // Refusals are decided on what is true in this moment.
    const { epoch } = cache;
    const found = await throttle.run(
      ip,
      () => lookUp.find(mac),
      (read) => isUsable(read, mac),
    );
    if (!isUsable(found, mac)) {
      cache.forget(mac);
      throw new AuthenticationError('Invalid API key');
    }
    cache.keep(found, epoch);
    if (!addressAllowed(ip, found.networks)) throw new AuthenticationError(`request from IP:${ip} not allowed`);
    noteUse(found.apiKeyId);
    return found;
  };
}
