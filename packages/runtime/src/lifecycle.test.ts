import { describe, expect, it } from 'vitest';
import { toOneLine } from './lifecycle.ts';

describe('toOneLine', () => {
  it.each<[unknown, string]>([
    ['text', 'unknown error'],
    [new Error('TRUNKLINE_SECRET must be set'), 'TRUNKLINE_SECRET must be set'],
    [new Error('insert\nparams: SECRET', { cause: new Error('disk full\nSECRET') }), 'insert: disk full'],
    [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  ])('writes %s as one line', (error, line) => {
    expect(toOneLine(error)).toBe(line);
  });
});
