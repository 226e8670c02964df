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
 * Finding a session by its token, signing the token in the cookie, what the forms of a session send along, and signing
 * what gateways ask of workers.
 */
export type MarkPurpose = 'session lookup' | 'session cookie' | 'session form' | 'bus command';

/** What an instance's secret is used for: finding keys without storing them, and sealing what must be shown again. */
export interface SecretVault {
  /** Names the secret, so that what another one sealed is recognised. */
  readonly secretId: string;
  /** The value under which a key is looked up: HMAC-SHA-256, 32 bytes. */
  mac(key: string): Buffer;
  /** Marks a text or bytes for one purpose: HMAC-SHA-256 with a key that serves nothing else. */
  mark(purpose: MarkPurpose, content: string | Uint8Array): Buffer;
  /** Whether this is the mark of the content; takes the same time for any that is not. */
  hasMark(purpose: MarkPurpose, content: string | Uint8Array, mark: Uint8Array): boolean;
  /** AES-256-GCM: nonce, tag, ciphertext. */
  seal(text: string): Buffer;
  /** Throws when the bytes were sealed by another secret or changed since. */
  open(sealed: Buffer): string;
}

export function createSecretVault(secret: string): SecretVault {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `trunkline ${purpose}`, 32));
  const macKey = derive('api-key lookup');
  const sealKey = derive('seal');
  const markKeys = {
    'session lookup': derive('session lookup'),
    'session cookie': derive('session cookie'),
    'session form': derive('session form'),
    'bus command': derive('bus command'),
  };
  const mark = (purpose: MarkPurpose, content: string | Uint8Array) =>
    createHmac('sha256', markKeys[purpose]).update(content).digest();
  return {
    secretId: createHash('sha256').update(derive('secret id')).digest('hex').slice(0, 16),
    mac: (key) => createHmac('sha256', macKey).update(key).digest(),
    mark,
    hasMark(purpose, content, given) {
      const expected = mark(purpose, content);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', sealKey, sealed.subarray(0, ivBytes), {
        // Without it a tag cut down to four bytes would do.
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
      return decipher.update(sealed.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

/** A new API key: 20 random bytes as 40 lowercase hex digits. */
export function generateApiKey(): string {
  return randomBytes(20).toString('hex');
}
