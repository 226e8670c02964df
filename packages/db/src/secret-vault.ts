import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

/**
 * Purpose of an HMAC: finding a session by its token, signing cookies, forms, commands on the bus, transfers and backups, or
 * recognising a secret that was imported.
 */
export type HmacPurpose =
  | 'session lookup'
  | 'session cookie'
  | 'session form'
  | 'bus command'
  | 'bus cancellation'
  | 'bus copy'
  | 'bus snapshot'
  | 'bus state'
  | 'wire data'
  | 'backup manifest'
  | 'imported secret';

/** The keys derived from one secret. */
interface SecretKeys {
  readonly secretId: string;
  keyHmac(key: string): Buffer;
  hmac(purpose: HmacPurpose, content: string | Uint8Array): Buffer;
  seal(text: string): Buffer;
  /** Decrypts sealed bytes; throws when another secret sealed them or when they were changed. */
  open(sealed: Buffer): string;
}

function deriveKeys(secret: string): SecretKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `trunkline ${purpose}`, 32));
  const lookUpKey = derive('api-key lookup');
  const sealKey = derive('seal');
  const hmacKeys = {
    'session lookup': derive('session lookup'),
    'session cookie': derive('session cookie'),
    'session form': derive('session form'),
    'bus command': derive('bus command'),
    'bus cancellation': derive('bus cancellation'),
    'bus copy': derive('bus copy'),
    'bus snapshot': derive('bus snapshot'),
    'bus state': derive('bus state'),
    'wire data': derive('wire data'),
    'backup manifest': derive('backup manifest'),
    'imported secret': derive('imported secret'),
  };
  return {
    secretId: createHash('sha256').update(derive('secret id')).digest('hex').slice(0, 16),
    keyHmac: (key) => createHmac('sha256', lookUpKey).update(key).digest(),
    hmac: (purpose, content) => createHmac('sha256', hmacKeys[purpose]).update(content).digest(),
    seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', sealKey, sealed.subarray(0, ivBytes), {
        // Without a fixed length Node would accept a tag of four bytes.
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
      return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

/**
 * Uses of an instance's secrets: finding API keys by HMAC, signing, and sealing values that must be shown again.
 * Values are written under the newest secret; values written under former secrets are still read.
 */
export interface SecretVault {
  /** Id of the newest secret. */
  readonly secretId: string;
  /** Ids of all secrets, the newest first. */
  readonly secretIds: readonly string[];
  /** The look-up value under which an API key is stored: HMAC-SHA-256, 32 bytes. */
  keyHmac(key: string): Buffer;
  /** The look-up values under which an API key may be stored: one for each secret, the newest first. */
  keyHmacs(key: string): readonly [Buffer, ...Buffer[]];
  /** HMAC-SHA-256 of a text or bytes, with a key that serves this purpose alone. */
  hmac(purpose: HmacPurpose, content: string | Uint8Array): Buffer;
  /** The HMACs that a content may have for one purpose: one for each secret, the newest first. */
  hmacs(purpose: HmacPurpose, content: string | Uint8Array): readonly [Buffer, ...Buffer[]];
  /** Encrypts a text with AES-256-GCM; returns nonce, tag and ciphertext. */
  seal(text: string): Buffer;
  /** Decrypts sealed bytes; throws when none of the secrets sealed them or when they were changed. */
  open(sealed: Buffer): string;
  /** Returns the value sealed under the newest secret; null when it already is. Throws as `open` does. */
  reseal(sealed: Buffer): Buffer | null;
}

/** Tries the secrets in turn: since AES-GCM authenticates, only the secret that sealed the bytes opens them. */
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
    keyHmac: newest.keyHmac,
    keyHmacs: (key) => ofAll((keys) => keys.keyHmac(key)),
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

/** Returns whether `given` equals one of `values`, compared in constant time. */
export function isOneOf(given: Uint8Array, values: readonly Buffer[]): boolean {
  return values.filter((value) => value.length === given.length && timingSafeEqual(value, given)).length > 0;
}

/** Generates an API key: 20 random bytes as 40 lowercase hex digits. */
export function generateApiKey(): string {
  return randomBytes(20).toString('hex');
}
