import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameBytes, decodeName, encodeName, nameText } from './byte-names.ts';

/** Bytes among which those that matter to UTF-8 are frequent. */
const anyBytes = fc
  .array(
    fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0xc3, 0xa9, 0xe2, 0xed, 0xef, 0xbf, 0xbd, 0xf0, 0x9f)),
  )
  .map((bytes) => Buffer.from(bytes));

describe('nameText', () => {
  it.each([
    ['caf\xe9', 'caf\ufffdE9'],
    ['caf\xc3\xa9', 'café'],
    ['\xef\xbf\xbd', '\ufffdEF\ufffdBF\ufffdBD'],
    ['\xf0\x9f\x92\x80', '\u{1f480}'],
    ['\xc0\xaf', '\ufffdC0\ufffdAF'],
    ['\xed\xa0\x80', '\ufffdED\ufffdA0\ufffd80'],
    ['\xf4\x90\x80\x80', '\ufffdF4\ufffd90\ufffd80\ufffd80'],
    ['\xf9\x80\xbf\x80', '\ufffdF9\ufffd80\ufffdBF\ufffd80'],
    ['\xf8\x88\x80\x80\x80', '\ufffdF8\ufffd88\ufffd80\ufffd80\ufffd80'],
    ['\xf8\x9f\x80\xbf', '\ufffdF8\ufffd9F\ufffd80\ufffdBF'],
    ['\xe2\x82', '\ufffdE2\ufffd82'],
    ['a\tb\0\x80', 'a\tb\0\ufffd80'],
    ['', ''],
  ])('of %j is %j', (bytes, text) => {
    expect(nameText(Buffer.from(bytes, 'latin1'))).toBe(text);
    expect(nameBytes(text).toString('latin1')).toBe(bytes);
  });

  it('is that of UTF-8 as it is, and its own for any other bytes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(nameBytes(nameText(bytes))).toEqual(bytes);
        const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
        let text: string | null = null;
        try {
          text = strict.decode(bytes);
        } catch {
          // No text but that of the notation.
        }
        const isPlain = text !== null && !text.includes('\ufffd');
        expect(nameText(bytes) === text).toBe(isPlain);
        expect(nameText(bytes).includes('\ufffd')).toBe(!isPlain);
      }),
    );
  });
});

describe('nameBytes', () => {
  it('C1 takes no notation of a byte that would be a slash, a dot or a control character', () => {
    for (const text of ['\ufffd2F', '\ufffd2E\ufffd2E', '\ufffd00', '\ufffd0A', '\ufffd7F', '\ufffde9', '\ufffd']) {
      expect(nameBytes(text).toString()).toBe(text);
    }
  });
});

describe('names in addresses', () => {
  it.each([
    ['caf\ufffdE9.txt', 'caf%E9.txt'],
    ['%E9', '%25E9'],
    ['\ufffdEF\ufffdBF\ufffdBD', '%EF%BF%BD'],
    ['a b?#\\\t\n', 'a%20b%3F%23%5C%09%0A'],
    ['é', '%C3%A9'],
  ])('%j is %s', (text, address) => {
    expect(encodeName(text)).toBe(address);
    expect(decodeName(address)).toBe(text);
  });

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(decodeName(encodeName(nameText(bytes)))).toBe(nameText(bytes));
      }),
    );
  });

  it.each(['%', '%e', 'a%zzb', '%%41'])('%s is malformed', (segment) => {
    expect(decodeName(segment)).toBeNull();
  });
});
