import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretVault, generateApiKey, isOneOf } from './secret-vault.ts';

const secret = randomBytes(32).toString('hex');
const vault = createSecretVault(secret);
const other = createSecretVault(randomBytes(32).toString('hex'));
const key = generateApiKey();

describe('sealing', () => {
  it('opens a sealed text to the same text, also in a later process', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(createSecretVault(secret).open(vault.seal(text))).toBe(text);
      }),
    );
  });

  it('never seals the same text to the same bytes', () => {
    expect(vault.seal(key).equals(vault.seal(key))).toBe(false);
  });

  it('refuses a sealed text with any byte changed', () => {
    const sealed = vault.seal(key);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => vault.open(changed), `byte ${at}`).toThrow('unable to authenticate');
    }
  });

  it.each(['text', ''])('refuses the sealed text %j when its end is missing', (text) => {
    const sealed = vault.seal(text);
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => vault.open(sealed.subarray(0, length)), `${length} bytes`).toThrow(Error);
    }
  });

  it('B2 opens nothing that another secret sealed', () => {
    expect(() => other.open(vault.seal(key))).toThrow('unable to authenticate');
  });
});

it('opens a value that an earlier release sealed', () => {
  const sealed = Buffer.from('070707070707070707070707d6b6bfce5bef632ee7cdafc83366cb6598', 'hex');
  expect(createSecretVault('s').open(sealed)).toBe('k');
});

describe('the look-up value', () => {
  it('is the same for a key in every process of the instance', () => {
    expect(createSecretVault(secret).keyHmac(key)).toEqual(vault.keyHmac(key));
    expect(vault.keyHmac(key)).toHaveLength(32);
  });

  it('B2 differs by key and by secret', () => {
    expect(vault.keyHmac(generateApiKey())).not.toEqual(vault.keyHmac(key));
    expect(other.keyHmac(key)).not.toEqual(vault.keyHmac(key));
  });

  it('is the same as in earlier releases, since a change would lock out every key of every instance', () => {
    expect(createSecretVault('s').keyHmac('k').toString('hex')).toBe(
      '1920753906310a17cc307f9912094606bb584e44b84fed054e153b67fc38dad6',
    );
  });
});

it('an HMAC verifies for its purpose, its content and its secret alone', () => {
  const hmac = vault.hmac('bus command', 'x');
  expect(isOneOf(hmac, vault.hmacs('bus command', Buffer.from('x')))).toBe(true);
  expect(isOneOf(hmac, vault.hmacs('bus command', 'y'))).toBe(false);
  expect(isOneOf(hmac, vault.hmacs('session cookie', 'x'))).toBe(false);
  expect(isOneOf(hmac.subarray(1), vault.hmacs('bus command', 'x'))).toBe(false);
  expect(isOneOf(hmac, other.hmacs('bus command', 'x'))).toBe(false);
});

it('B2 no stored value contains the key or the secret', () => {
  for (const stored of [vault.keyHmac(key), vault.seal(key), Buffer.from(vault.secretId)]) {
    for (const hidden of [key, secret]) {
      for (const form of [Buffer.from(hidden), Buffer.from(hidden, 'hex')]) {
        expect(stored.includes(form)).toBe(false);
        expect(stored.toString('latin1')).not.toContain(hidden.slice(0, 16));
      }
    }
  }
});

it('a secret is recognised by its id', () => {
  expect(createSecretVault(secret).secretId).toBe(vault.secretId);
  expect(other.secretId).not.toBe(vault.secretId);
  expect(vault.secretId).toMatch(/^[0-9a-f]{16}$/);
});

it('a new API key is 40 lowercase hex digits and never the same', () => {
  const keys = Array.from({ length: 100 }, generateApiKey);
  expect(new Set(keys).size).toBe(100);
  for (const one of keys) expect(one).toMatch(/^[0-9a-f]{40}$/);
});

describe('B2 a vault with former secrets', () => {
  const former = randomBytes(32).toString('hex');
  const formerVault = createSecretVault(former);
  const rotated = createSecretVault(secret, ['x'.repeat(32), former]);

  it('writes everything under the newest secret', () => {
    expect(rotated.secretId).toBe(vault.secretId);
    expect(rotated.keyHmac(key)).toEqual(vault.keyHmac(key));
    expect(rotated.hmac('session cookie', 't')).toEqual(vault.hmac('session cookie', 't'));
    expect(vault.open(rotated.seal(key))).toBe(key);
  });

  it('reads values that were written under each of its secrets', () => {
    for (const one of [vault, formerVault]) {
      expect(rotated.secretIds).toContain(one.secretId);
      expect(rotated.open(one.seal(key))).toBe(key);
      expect(isOneOf(one.keyHmac(key), rotated.keyHmacs(key))).toBe(true);
      expect(isOneOf(one.hmac('session form', 't'), rotated.hmacs('session form', 't'))).toBe(true);
    }
    expect(() => rotated.open(other.seal(key))).toThrow('unable to authenticate');
    expect(isOneOf(other.keyHmac(key), rotated.keyHmacs(key))).toBe(false);
    expect(isOneOf(vault.keyHmac(key).subarray(1), rotated.keyHmacs(key))).toBe(false);
  });

  it('B3 makes one look-up value for each secret, whatever the key', () => {
    for (const any of [key, generateApiKey()]) expect(rotated.keyHmacs(any)).toHaveLength(3);
  });

  it('reseals only a value that the newest secret has not sealed', () => {
    const resealed = rotated.reseal(formerVault.seal(key));
    expect(resealed && vault.open(resealed)).toBe(key);
    expect(rotated.reseal(vault.seal(key))).toBeNull();
    expect(() => rotated.reseal(other.seal(key))).toThrow('unable to authenticate');
  });
});
