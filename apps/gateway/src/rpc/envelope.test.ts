import { InvalidRequestError } from '@trunkline/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEnvelope, readEnvelope } from './envelope.ts';

const rest = '"api_key":"k","method":"test","args":{}';

function open(text: string | Uint8Array) {
  return openEnvelope(typeof text === 'string' ? Buffer.from(text) : text);
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('openEnvelope', () => {
  it.each([
    ['12345678901234567890'],
    ['1.0'],
    ['-0'],
    ['1e400'],
    ['1E+2'],
    ['null'],
    ['true'],
    ['""'],
    ['"\u2028 line"'],
    ['"\\ud800"'],
    ['"\\u0041\\/\\n"'],
    ['{"a":[1.50,{"b":" , } "}],"id":2}'],
  ])('A3 echoes the id %s as it was written', (id) => {
    expect(open(`{"id":${id},${rest}}`).rawId).toBe(id);
    expect(open(`{${rest},"id":${id}}`).rawId).toBe(id);
  });

  it('A3 removes white space from an id, except in strings', () => {
    expect(open(`{"id" :\t[ 1 ,\r\n" a\\" b\\\\", {\n"c" : 2 } ] , ${rest}}`).rawId).toBe('[1," a\\" b\\\\",{"c":2}]');
  });

  it('A3 echoes any id at any position: the same value, in one line', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue({ maxDepth: 5 }), (id, args) => {
        const text = JSON.stringify({ args, id, api_key: ':,"id":{}', method: '\\"' }, null, 2);
        const { rawId, members } = open(text);
        expect(rawId).toBe(JSON.stringify(id));
        expect(members['args']).toEqual(JSON.parse(JSON.stringify(args)));
      }),
    );
  });

  it('A6 takes the last of duplicate members', () => {
    const { rawId, members } = open(`{"id":1,${rest},"id":2,"method":"a","method":"b"}`);
    expect(rawId).toBe('2');
    expect(members['method']).toBe('b');
  });

  it.each([['"\\u0069d"'], ['"i\\u0064"'], ['"\\u0069\\u0064"']])('A6 reads the escaped name %s as id', (name) => {
    expect(open(`{"id":1,${name}:2,${rest}}`).rawId).toBe('2');
  });

  it.each([['"iD"'], ['"id "'], ['"\\\\u0069d"'], ['"__proto__"']])('A6 does not read %s as id', (name) => {
    expect(refusal(() => open(`{${name}:{"id":2},${rest}}`))).toBe("Incorrect JSON query missing 'id'");
  });

  it('A6 lets the member __proto__ change no prototype', () => {
    const { members } = open(`{"id":1,${rest.replace('{}', '{"__proto__":{"admin":true}}')}}`);
    expect(JSON.stringify(members['args'])).toBe('{"__proto__":{"admin":true}}');
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });

  it('A2 echoes an id at the depth limit and refuses one that is a level deeper', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(open(`{"id":${nested(31)},${rest}}`).rawId).toBe(nested(31));
    expect(refusal(() => open(`{"id":${nested(32)},${rest}}`))).toBe(
      'JSON parse error ERR:nested deeper than 32 levels',
    );
  });

  it('A2 keeps no white space of an id', () => {
    expect(open(`{"id":[1,${' '.repeat(100_000)}" 2 "${'\n'.repeat(100_000)}],${rest}}`).rawId).toBe('[1," 2 "]');
  });

  it.each([5_000, 1_000_000])('A2 refuses depth %i quickly', (depth) => {
    const deep = Buffer.from(`{"id":${'[{"a":'.repeat(depth / 2)}`);
    const started = performance.now();
    expect(refusal(() => open(deep))).toMatch(/nested deeper/);
    // Parsing would take a second and overflow the call stack.
    expect(performance.now() - started).toBeLessThan(500);
  });

  it.each([
    ['truncated', '{"api_key":"SECRETX'],
    ['no JSON', 'SECRETX'],
    ['a raw control character', '{"api_key":"SECRETX\n"}'],
    ['two values', '{"api_key":"SECRETX"}{}'],
    ['an open escape', '{"api_key":"SECRETX\\'],
    ['closed too often', ']]}}"SECRETX"'],
    ['white space', '  \n'],
  ])('A1 refuses %s as invalid JSON, with an error that repeats none of it', (_, text) => {
    expect(refusal(() => open(text))).toBe('JSON parse error ERR:invalid JSON');
  });

  it.each([
    ['a stray byte', [0x22, 0xff, 0x22]],
    ['an overlong NUL', [0x22, 0xc0, 0x80, 0x22]],
    ['a lone surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut character', [0x22, 0xe2, 0x82, 0x22]],
  ])('A7 refuses %s as invalid UTF-8', (_, bytes) => {
    expect(refusal(() => open(Uint8Array.from(bytes)))).toBe('JSON parse error ERR:invalid UTF-8');
  });

  it('accepts any text or throws InvalidRequestError', () => {
    const pieces = fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '"id"', '"api_key"', '1', ' ', '\0', 'é');
    fc.assert(
      fc.property(fc.array(pieces), (text) => {
        expect(refusal(() => open(text.join('')))).toMatch(/^(accepted|JSON parse error|Incorrect JSON query missing)/);
      }),
    );
  });

  it.each([['[]'], ['1'], ['null'], ['"id"'], ['[{"api_key":1,"id":2}]'], ['{}'], ['{"id":1}']])(
    'refuses %s first for its missing api_key',
    (text) => {
      expect(refusal(() => open(text))).toBe("Incorrect JSON query missing 'api_key'");
    },
  );

  it('refuses a missing id before a missing method or args', () => {
    expect(refusal(() => open('{"auth_token":"k"}'))).toBe("Incorrect JSON query missing 'id'");
  });
});

describe('readEnvelope', () => {
  it('names the first member that is missing', () => {
    expect(refusal(() => readEnvelope({ api_key: 'k', id: 1 }))).toBe("Incorrect JSON query missing 'method'");
    expect(refusal(() => readEnvelope({ api_key: 'k', id: 1, method: 'm' }))).toBe(
      "Incorrect JSON query missing 'args'",
    );
  });

  it('counts a null member as present', () => {
    const members = { api_key: null, id: null, method: null, args: null };
    expect(readEnvelope(members)).toEqual({ apiKey: null, method: null, args: null });
  });

  it('reads auth_token only where there is no api_key', () => {
    const members = { id: 1, auth_token: 'token', method: 'm', args: {} };
    expect(readEnvelope(members).apiKey).toBe('token');
    expect(readEnvelope({ ...members, api_key: null }).apiKey).toBeNull();
  });
});
