import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

/** Finding a session by its token, signing the token in the cookie, and what the forms of a session send along. */
export type MarkPurpose = 'session lookup' | 'session cookie' | 'session form';

/** What an instance's secret is used for: finding keys without storing them, and sealing what must be shown again. */
export interface SecretVault {
  /** Names the secret, so that what another one sealed is recognised. */
  readonly secretId: string;
  /** The value under which a key is looked up: HMAC-SHA-256, 32 bytes. */
  mac(key: string): Buffer;
  /** Marks a text for one purpose: HMAC-SHA-256 with a key that serves nothing else. */
  mark(purpose: MarkPurpose, text: string): Buffer;
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
  };
  return {
    secretId: createHash('sha256').update(derive('secret id')).digest('hex').slice(0, 16),
    mac: (key) => createHmac('sha256', macKey).update(key).digest(),
    mark: (purpose, text) => createHmac('sha256', markKeys[purpose]).update(text).digest(),
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
