import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson, formatPretty } from './print-reply.ts';

const result = { b: [{ z: 1, a: null }], a: 'é', A: {} };

describe('formatPretty', () => {
  it('indents by four and sorts members at every depth, lists stay as they are', () => {
    expect(formatPretty({ result, error: null })).toBe(
      [
        '{',
        '    "A": {},',
        '    "a": "é",',
        '    "b": [',
        '        {',
        '            "a": null,',
        '            "z": 1',
        '        }',
        '    ]',
        '}',
      ].join('\n'),
    );
  });

  it('shows an error as a JSON string', () => {
    expect(formatPretty({ result: null, error: 'no `x`\n"y"' })).toBe('ERROR:"no `x`\\n\\"y\\""');
  });

  it('keeps a member named like an inherited one, `__proto__`', () => {
    expect(formatPretty({ result: JSON.parse('{"__proto__":1}'), error: null })).toBe('{\n    "__proto__": 1\n}');
  });
});

describe('formatJson', () => {
  it('is the result or the error text on one line', () => {
    expect(formatJson({ result, error: null })).toBe('{"b":[{"z":1,"a":null}],"a":"é","A":{}}');
    expect(formatJson({ result: null, error: null })).toBe('null');
    expect(formatJson({ result: null, error: 'no' })).toBe('"no"');
  });
});

describe('both forms', () => {
  it('escape the control characters in values', () => {
    const hostile = 'a\u001b[2J\u009b31m\u007f\u202egnp.exe\u2066\u2028';
    for (const text of [
      formatPretty({ result: hostile, error: null }),
      formatPretty({ result: null, error: hostile }),
      formatJson({ result: { [hostile]: 1 }, error: null }),
    ]) {
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
    }
  });

  it('parse as the value that the service sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const sent: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(formatPretty({ result: sent, error: null }))).toEqual(sent);
        expect(JSON.parse(formatJson({ result: sent, error: null }))).toEqual(sent);
      }),
    );
  });
});
