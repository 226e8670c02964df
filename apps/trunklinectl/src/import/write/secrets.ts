import { createHash } from 'node:crypto';
import { isOneOf, type SecretVault } from '@trunkline/db';

/** Digests by which a further run recognises values; those of secrets have a key of the instance. */
export interface Digests {
  of(value: unknown, isSecret: boolean): string;
  /** Returns whether a digest is of this value, under any secret of the instance. */
  match(value: unknown, digest: string, isSecret: boolean): boolean;
}

const textOf = (value: unknown) => JSON.stringify(value) ?? '';

/** Returns a digest without a key, for what nobody can guess or what is no secret. */
export function plainDigest(value: unknown): string {
  return createHash('sha256').update(textOf(value)).digest('base64url');
}

export function createDigests(vault: Pick<SecretVault, 'hmac' | 'hmacs'>): Digests {
  return {
    of: (value, isSecret) =>
      isSecret ? vault.hmac('imported secret', textOf(value)).toString('base64url') : plainDigest(value),
    match: (value, digest, isSecret) =>
      isSecret
        ? isOneOf(Buffer.from(digest, 'base64url'), [...vault.hmacs('imported secret', textOf(value))])
        : plainDigest(value) === digest,
  };
}

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
