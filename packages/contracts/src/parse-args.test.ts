import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { optional, required, secret, withAliases } from './args/arg.ts';
import { entityRef, flag, text } from './args/schemas.ts';
import { InvalidArgsError } from './errors.ts';
import { mapSecretArgs, parseArgs } from './parse-args.ts';
import { methods } from './methods/index.ts';

const specs = {
  first: required(text(10), 'A text'),
  second: required(entityRef, 'An object', ['olderSecond']),
  third: optional(flag, true, 'A switch'),
  fourth: optional(text(10), null, 'A text or nothing'),
};

const complete = { first: 'a', second: 'b' };
const second = { sent: 'b', id: null, name: 'b' };

function refusal(sent: unknown): string {
  try {
    parseArgs(specs, sent);
  } catch (error) {
    if (error instanceof InvalidArgsError) return error.message;
    throw error;
  }
  return '';
}

describe('parseArgs', () => {
  it('gives absent optional arguments their fallbacks', () => {
    expect(parseArgs(specs, complete)).toEqual({ first: 'a', second, third: true, fourth: null });
  });

  it('treats an explicit null of an optional argument as absent', () => {
    expect(parseArgs(specs, { ...complete, third: null, fourth: null })).toEqual({
      first: 'a',
      second,
      third: true,
      fourth: null,
    });
  });

  it('treats an explicit null of a required argument as present', () => {
    expect(parseArgs(specs, { first: 'a', second: null }).second).toEqual({ sent: 'None', id: null, name: null });
    expect(refusal({ first: null, second: 'b' })).toBe('Invalid value for `first`: must be a string');
  });

  it('ignores unknown members', () => {
    expect(parseArgs(specs, { ...complete, unknown: { deep: [1] } })).not.toHaveProperty('unknown');
  });

  it('reports missing arguments in declaration order', () => {
    expect(refusal({})).toBe('Missing non optional `first` arg in JSON DATA');
    expect(refusal({ first: 'a' })).toBe('Missing non optional `second` arg in JSON DATA');
  });

  it('reports a missing argument before a wrong one that is declared earlier', () => {
    expect(refusal({ first: 1, third: 'maybe' })).toBe('Missing non optional `second` arg in JSON DATA');
  });

  it('reports wrong arguments in declaration order', () => {
    expect(refusal({ fourth: 2, third: 'maybe', ...complete })).toBe('Invalid value for `third`: must be a boolean');
  });

  it('reads an argument under its older name only when its present name is absent', () => {
    expect(parseArgs(specs, { first: 'a', olderSecond: 'old' }).second.sent).toBe('old');
    expect(parseArgs(specs, { first: 'a', olderSecond: 'old', second: 'new' }).second.sent).toBe('new');
    expect(refusal({ first: 'a', olderSecond: 1.5 })).toBe('Invalid value for `second`: must be an id or a name');
  });

  it.each([[null], [undefined], [7], ['text'], [true], [['first', 'a']], [Object.assign([], complete)]])(
    'treats %j as an object without members',
    (sent) => {
      expect(refusal(sent)).toBe('Missing non optional `first` arg in JSON DATA');
    },
  );

  it('does not read inherited members', () => {
    expect(refusal(JSON.parse('{"__proto__":{"first":"a","second":"b"}}'))).toContain('`first`');
    expect(refusal(Object.create({ first: 'a', second: 'b' }))).toContain('`first`');
  });

  it.each(['constructor', 'toString', '__proto__'])('reads %s only as an own member', (name) => {
    const one = Object.fromEntries([[name, required(v.unknown(), 'Anything')]]);
    expect(() => parseArgs(one, {})).toThrow(`Missing non optional \`${name}\` arg in JSON DATA`);
    expect(Object.entries(parseArgs(one, JSON.parse(`{"${name}":5}`)))).toEqual([[name, 5]]);
  });

  it('does not show the refused value in its message', () => {
    expect(refusal({ first: 'a', second: { secret: 1 } })).toBe('Invalid value for `second`: must be an id or a name');
  });
});

const secretSpecs = {
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
    expect(mapSecretArgs(secretSpecs, sent, change)).toEqual(changed);
  });

  it('A6 copies a member named __proto__ without changing the prototype', () => {
    const sent: unknown = JSON.parse('{"__proto__":{"hidden":"x"},"open":"y"}');
    const changed = mapSecretArgs(secretSpecs, sent, change);
    expect(JSON.stringify(changed)).toBe(JSON.stringify(sent));
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });

  it('returns the same object for a method without secret arguments', () => {
    const sent = { userid: 1 };
    expect(mapSecretArgs(methods.get_user.args, sent, change)).toBe(sent);
  });
});
