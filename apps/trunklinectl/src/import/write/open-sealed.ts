import type { SecretVault } from '@trunkline/db';

/** Says of a value why it cannot be compared. */
export const isSealed = 'cannot be opened: the instance has not the secret that sealed it';

/** Opens a sealed value; undefined for one whose secret the instance has no more, which must not end an import. */
export function openSealed(vault: Pick<SecretVault, 'open'>, sealed: Buffer): string | undefined {
  try {
    return vault.open(sealed);
  } catch {
    return undefined;
  }
}
