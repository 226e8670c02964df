import type { Database, SecretVault } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { resealCloneUris, resealKeys } from './reseal-store.ts';

export interface ResealerOptions {
  readonly db: Database;
  readonly vault: SecretVault;
  readonly logger: Logger;
}

/** Rewrites values stored under former secrets, in batches, until all are rewritten or `isStopped`. */
export type Reseal = (isStopped: () => boolean) => Promise<void>;

/**
 * Each row changes atomically, and both of its forms are readable: several workers may run this at once, and one that
 * dies leaves nothing half done.
 */
export function createResealer({ db, vault, logger }: ResealerOptions): Reseal {
  const [secret, ...formerSecrets] = vault.secretIds;
  let told = false;
  return async (isStopped) => {
    if (formerSecrets.length === 0) return;
    const sum = { written: 0, unreadable: 0 };
    for (const portion of [resealKeys, resealCloneUris]) {
      for (let after: number | null = 0; after !== null && !isStopped();) {
        const { written, unreadable, next } = await portion(db, vault, after);
        sum.written += written;
        sum.unreadable += unreadable;
        after = next;
      }
    }
    if (isStopped() || (told && sum.written + sum.unreadable === 0)) return;
    told = sum.unreadable === 0;
    if (told) logger.info({ secret, formerSecrets, ...sum }, 'no key or remote password is left under a former secret');
    else logger.warn({ secret, formerSecrets, ...sum }, 'keys or remote passwords are under none of the secrets');
  };
}
