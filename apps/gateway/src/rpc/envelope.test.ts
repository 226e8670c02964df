import { InvalidRequestError, MethodNotFoundError, methods } from '@trunkline/contracts';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { findKey, openEnvelope, readEnvelope, requireMethod } from './envelope.ts';

const rest = '"api_key":"k","method":"test","args":{}';

function open(text: string | Uint8Array) {
  return openEnvelope(Buffer.from(text));
}

function read(text: string) {
  const { rawId, members } = open(text);
  const { apiKey, shownMethod, parse } = readEnvelope(members);
  const { sentMethod: method, args, echo } = parse();
  return { rawId, apiKey, shownMethod, method, args, echo: echo && String(echo) };
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
        const request = read(text);
        expect(request.rawId).toBe(JSON.stringify(id));
        expect(request.args).toEqual(JSON.parse(JSON.stringify(args)));
      }),
    );
  });

  it('A6 takes the last of duplicate members', () => {
    const { rawId, method } = read(`{"id":1,${rest},"id":2,"method":"a","method":"b"}`);
    expect(rawId).toBe('2');
    expect(method).toBe('b');
  });

  it.each([['"\\u0069d"'], ['"i\\u0064"'], ['"\\u0069\\u0064"']])('A6 reads the escaped name %s as id', (name) => {
    expect(open(`{"id":1,${name}:2,${rest}}`).rawId).toBe('2');
  });

  it.each([['"iD"'], ['"id "'], ['"\\\\u0069d"'], ['"__proto__"']])('A6 does not read %s as id', (name) => {
    expect(refusal(() => open(`{${name}:{"id":2},${rest}}`))).toBe("Incorrect JSON query missing 'id'");
  });

  it('A6 lets the member __proto__ change no prototype', () => {
    const { args } = read(`{"id":1,${rest.replace('{}', '{"__proto__":{"admin":true}}')}}`);
    expect(JSON.stringify(args)).toBe('{"__proto__":{"admin":true}}');
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

  it.each([5_000, 1_000_000])('A2 refuses depth %i', (depth) => {
    expect(refusal(() => open(`{"id":${'[{"a":'.repeat(depth / 2)}`))).toMatch(/nested deeper/);
  });

  it('A2 refuses more values and names than its limit, and accepts as many', () => {
    // The object, its four names and values (of which the list is one).
    const others = 9;
    const withNumbers = (count: number) => `{"id":1,${rest.replace('{}', `[${Array(count).fill('1').join()}]`)}}`;
    expect(open(withNumbers(100_000 - others)).rawId).toBe('1');
    expect(refusal(() => open(withNumbers(100_001 - others)))).toBe(
      'JSON parse error ERR:more than 100000 values and names',
    );
  });

  it('A2 builds no value and decodes no long text before the key is known', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const list = `[${Array(1_000).fill('{"a":"b"}').join()}]`;
    const { members } = open(`{"x":${list},"id":1,"api_key":${list},"method":${list},"args":${list}}`);
    expect(readEnvelope(members)).toMatchObject({ apiKey: null, shownMethod: null });
    const parsed = parse.mock.calls.map(([json]) => json);
    parse.mockRestore();
    expect(parsed).toEqual(['"x"', '"id"', '"api_key"', '"method"', '"args"']);
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
    expect(refusal(() => read('{"api_key":"k","id":1}'))).toBe("Incorrect JSON query missing 'method'");
    expect(refusal(() => read('{"api_key":"k","id":1,"method":"m"}'))).toBe("Incorrect JSON query missing 'args'");
  });

  it('counts a null member as present', () => {
    expect(read('{"api_key":null,"id":null,"method":null,"args":null}')).toEqual({
      rawId: 'null',
      apiKey: null,
      shownMethod: null,
      method: null,
      args: null,
      echo: null,
    });
  });

  it('reads auth_token only where there is no api_key', () => {
    const members = '"id":1,"auth_token":"token","method":"m","args":{}';
    expect(read(`{${members}}`).apiKey).toBe('token');
    expect(read(`{${members},"api_key":null}`).apiKey).toBeNull();
  });

  it('reads a key whose characters are all escaped', () => {
    const escaped = '\\u0061'.repeat(40);
    expect(read(`{"id":1,"api_key":"${escaped}","method":"m","args":{}}`).apiKey).toBe('a'.repeat(40));
  });

  it('shows only a short method before it is parsed', () => {
    const method = 'm'.repeat(500);
    const request = read(`{"id":1,"api_key":"k","method":"${method}","args":{}}`);
    expect(request.shownMethod).toBeNull();
    expect(request.method).toBe(method);
  });
});

describe('the echo of `test`', () => {
  const echoOf = (args: string) => read(`{"id":1,"api_key":"k","method":"test","args":${args}}`).echo;

  it.each([['1.0'], ['-0'], ['1e400'], ['12345678901234567890'], ['{"a":[1.50,"\\u0041"]}']])(
    'is %s as it was written',
    (value) => {
      expect(echoOf(`{ "a":{"args":2}, "args" : ${value} }`)).toBe(value);
      expect(echoOf(`{"args":1,"\\u0061rgs":${value}}`)).toBe(value);
    },
  );

  it('is absent without the argument, and for other methods', () => {
    for (const args of ['{}', '[1.0]', 'null', '"args"']) expect(echoOf(args)).toBeNull();
    expect(read('{"id":1,"api_key":"k","method":"get_user","args":{"args":1.0}}').echo).toBeNull();
  });
});

describe('findKey', () => {
  it.each([
    ['{"id":1,"api_key":"k","args":{"a":"b', 'k'],
    ['\ufeff {"auth_token":"t","args":[1', 't'],
    ['{"args":{"api_key":"k"},"id":', null],
    ['{"id":1,"api_key":"k', null],
    ['["api_key","k"', null],
    ['', null],
  ])('finds in the beginning %j the key %j', (beginning, key) => expect(findKey(Buffer.from(beginning))).toBe(key));
});

describe('requireMethod', () => {
  it('finds a method by its own name and by an earlier one', () => {
    expect(requireMethod('get_ip')).toBe(methods.get_ip);
    expect(requireMethod('show_ip')).toBe(methods.get_ip);
  });

  it.each([
    ['nothing', 'No such method: nothing'],
    ['', 'No such method: '],
    ['GET_IP', 'No such method: GET_IP'],
    ['constructor', 'No such method: constructor'],
    ['__proto__', 'Method not allowed'],
    ['_get_ip', 'Method not allowed'],
    [5, 'No such method: 5'],
    [null, 'No such method: null'],
    [['get_ip'], 'No such method: ["get_ip"]'],
    [{ a: true }, 'No such method: {"a":true}'],
  ])('A6 refuses %j', (method, text) => {
    expect(() => requireMethod(method)).toThrow(new MethodNotFoundError(text));
  });
});
