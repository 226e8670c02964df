import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

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
export interface SecretKeys {
  readonly secretId: string;
  keyHmac(key: string): Buffer;
  hmac(purpose: HmacPurpose, content: string | Uint8Array): Buffer;
  seal(text: string): Buffer;
  /** Decrypts sealed bytes; throws when another secret sealed them or when they were changed. */
  open(sealed: Buffer): string;
}

export function deriveKeys(secret: string): SecretKeys {
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
