import { methods } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { argsBytesMax, boundArgs, boundError, errorBytesMax } from './bounded-entry.ts';

const bytesOf = (args: object) => Buffer.byteLength(JSON.stringify(args));

describe('boundArgs', () => {
  it.each(['y', '\u{1f600}', '语', '\u0001'])('fits long arguments of every method: %j', (character) => {
    for (const { name, args } of Object.values(methods)) {
      const sent = Object.fromEntries(Object.keys(args).map((arg) => [arg, character.repeat(10_000)]));
      const bounded = boundArgs(sent);
      expect(bytesOf(bounded), name).toBeLessThanOrEqual(argsBytesMax);
      expect(Object.keys(bounded)).toEqual(Object.keys(sent));
      for (const value of Object.values(bounded)) expect(value).toMatch(/^.+…$/su);
    }
  });

  it('cuts the longest first, so that names stay whole', () => {
    const repoid = 'n'.repeat(255);
    const bounded = boundArgs({ repoid, description: 'd'.repeat(9_000), clone_uri: 'c'.repeat(900), private: true });
    expect(bounded).toEqual({
      repoid,
      description: `${'d'.repeat(500)}…`,
      clone_uri: `${'c'.repeat(500)}…`,
      private: true,
    });
  });

  it('leaves arguments that fit as they are', () => {
    const args = { repoid: 7, description: 'd'.repeat(1_000), private: null };
    expect(boundArgs(args)).toEqual(args);
  });
});

describe('boundError', () => {
  it('leaves a text that fits as it is', () => {
    const text = 'y'.repeat(errorBytesMax);
    expect(boundError(text)).toBe(text);
  });

  it.each([
    ['y', errorBytesMax - 3],
    ['語', Math.floor((errorBytesMax - 3) / 3)],
    ['\u{1f600}', Math.floor((errorBytesMax - 3) / 4)],
  ])('cuts a longer text of %s between two characters', (character, whole) => {
    expect(boundError(character.repeat(errorBytesMax + 1))).toBe(`${character.repeat(whole)}…`);
  });
});
