import { randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKeys, type HmacPurpose, type SecretKeys } from './secret-keys.ts';

/**
 * The uses of an instance's secret: looking keys up by HMAC, signing, and sealing values that must be shown again.
 * Values are written under the newest secret; values written under former secrets are still read.
 */
export interface SecretVault {
  /** Names the newest secret. */
  readonly secretId: string;
  /** Names all secrets, the newest first. */
  readonly secretIds: readonly string[];
  /** The value under which a key is stored: HMAC-SHA-256, 32 bytes. */
  mac(key: string): Buffer;
  /** The values under which a key may be stored: one for each secret, the newest first. */
  macs(key: string): readonly [Buffer, ...Buffer[]];
  /** HMAC-SHA-256 of a text or bytes, with a key that serves this purpose alone. */
  hmac(purpose: HmacPurpose, content: string | Uint8Array): Buffer;
  /** The HMACs that a content may have for one purpose: one for each secret, the newest first. */
  hmacs(purpose: HmacPurpose, content: string | Uint8Array): readonly [Buffer, ...Buffer[]];
  /** AES-256-GCM: nonce, tag, ciphertext. */
  seal(text: string): Buffer;
  /** Throws when the bytes were sealed by none of the secrets or changed since. */
  open(sealed: Buffer): string;
  /** The value sealed under the newest secret; null when it already is. Throws as `open` does. */
  reseal(sealed: Buffer): Buffer | null;
}

/** AES-GCM authenticates: only the secret that sealed the bytes opens them. */
function openWithOneOf(all: readonly SecretKeys[], sealed: Buffer): { text: string; keys: SecretKeys } {
  let failure: unknown;
  for (const keys of all) {
    try {
      return { text: keys.open(sealed), keys };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

export function createSecretVault(secret: string, oldSecrets: readonly string[] = []): SecretVault {
  const newest = deriveKeys(secret);
  const former = oldSecrets.map(deriveKeys);
  const all = [newest, ...former];
  const ofAll = (make: (keys: SecretKeys) => Buffer) => [make(newest), ...former.map(make)] as const;
  return {
    secretId: newest.secretId,
    secretIds: all.map(({ secretId }) => secretId),
    mac: newest.mac,
    macs: (key) => ofAll((keys) => keys.mac(key)),
    hmac: newest.hmac,
    hmacs: (purpose, content) => ofAll((keys) => keys.hmac(purpose, content)),
    seal: newest.seal,
    open: (sealed) => openWithOneOf(all, sealed).text,
    reseal(sealed) {
      const { text, keys } = openWithOneOf(all, sealed);
      return keys === newest ? null : newest.seal(text);
    },
  };
}

/** Whether a value is among others, compared in constant time. */
export function isOneOf(given: Uint8Array, values: readonly Buffer[]): boolean {
  return values.filter((value) => value.length === given.length && timingSafeEqual(value, given)).length > 0;
}

/** A new API key: 20 random bytes as 40 lowercase hex digits. */
export function generateApiKey(): string {
  return randomBytes(20).toString('hex');
}
