import { describe, expect, it } from 'vitest';
import { methods } from './methods/index.ts';
import { withAliases, required, secret } from './args/arg.ts';
import { mapSecretArgs } from './map-secret-args.ts';
import * as v from 'valibot';

const specs = {
  open: required(v.string(), 'Open'),
  hidden: secret('whole', withAliases(required(v.string(), 'Hidden'), 'earlier')),
};
const change = (value: unknown) => `changed ${JSON.stringify(value)}`;

describe('mapSecretArgs', () => {
  it.each([
    [
      { open: 1, hidden: 'x', other: 2 },
      { open: 1, hidden: 'changed "x"', other: 2 },
    ],
    [{ earlier: { a: 1 } }, { earlier: 'changed {"a":1}' }],
    [{ hidden: null }, { hidden: 'changed null' }],
    [{ hidden: undefined }, { hidden: undefined }],
    [['hidden'], ['hidden']],
    [null, null],
    ['hidden', 'hidden'],
  ])('turns %j into %j', (sent, changed) => {
    expect(mapSecretArgs(specs, sent, change)).toEqual(changed);
  });

  it('A6 copies a member named __proto__ without changing the prototype', () => {
    const sent: unknown = JSON.parse('{"__proto__":{"hidden":"x"},"open":"y"}');
    const changed = mapSecretArgs(specs, sent, change);
    expect(JSON.stringify(changed)).toBe(JSON.stringify(sent));
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });

  it('returns the same object for a method without secret arguments', () => {
    const sent = { userid: 1 };
    expect(mapSecretArgs(methods.get_user.args, sent, change)).toBe(sent);
  });
});
