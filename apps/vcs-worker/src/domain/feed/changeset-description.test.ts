import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemTitle } from './changeset-description.ts';

describe('itemTitle', () => {
  it('is the whole message on one line', () => {
    expect(itemTitle('  Fix\tthis\r\n\r\nand that\n')).toBe('Fix this and that');
    expect(itemTitle('')).toBe('');
    expect(itemTitle('x'.repeat(160))).toBe('x'.repeat(160));
  });

  it('is cut to 160 characters, none of them in two', () => {
    expect(itemTitle('x'.repeat(161))).toBe(`${'x'.repeat(157)}...`);
    expect(itemTitle('\u{1f600}'.repeat(160))).toBe('\u{1f600}'.repeat(160));
    expect(itemTitle('\u{1f600}'.repeat(161))).toBe(`${'\u{1f600}'.repeat(157)}...`);
  });

  it('is never longer than 160 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (message) => {
        expect(Array.from(itemTitle(message)).length).toBeLessThanOrEqual(160);
      }),
    );
  });
});
