import { reseal, type Database, type SecretVault } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';

export interface ResealerOptions {
  readonly db: Database;
  readonly vault: SecretVault;
  readonly logger: Logger;
}

/** Rewrites values stored under former secrets, in batches, until all are rewritten or `isStopped`. */
export type Reseal = (isStopped: () => boolean) => Promise<void>;

/**
 * Creates the resealer. Each row changes atomically, and both of its forms are readable: several workers may reseal at
 * once, and one that dies leaves nothing half done.
 */
export function createResealer({ db, vault, logger }: ResealerOptions): Reseal {
  const [secret, ...formerSecrets] = vault.secretIds;
  let reportedSuccess = false;
  return async (isStopped) => {
    const sum = await reseal(db, vault, isStopped);
    // The resealer runs every few minutes: after a success, a run that finds nothing to do is not logged.
    if (formerSecrets.length === 0 && sum.unreadable === 0) return;
    if (isStopped() || (reportedSuccess && sum.written + sum.unreadable === 0)) return;
    reportedSuccess = sum.unreadable === 0;
    if (reportedSuccess)
      logger.info(
        { secret, formerSecrets, ...sum },
        'all API keys and remote passwords are encrypted with the current secret',
      );
    else
      logger.warn(
        { secret, formerSecrets, ...sum },
        'some API keys or remote passwords cannot be decrypted with any of the secrets',
      );
  };
}
