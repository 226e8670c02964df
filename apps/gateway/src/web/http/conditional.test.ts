import { describe, expect, it } from 'vitest';
import { askedRange, hasAlready } from './conditional.ts';

describe('hasAlready', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a" ,"c"', true],
    ['*', true],
    ['a', false],
    ['"b"', false],
    ['"', false],
    ['"b"a"', false],
  ])('compares %s', (sent, expected) => {
    const asking = { headers: sent === undefined ? {} : { 'if-none-match': sent } };
    expect(hasAlready(asking, '"a"')).toBe(expected);
    expect(hasAlready(asking, 'W/"a"')).toBe(expected);
  });

  it('E10 reads a header of any form in linear time', () => {
    for (const sent of ['"'.repeat(60_001), 'W/"x"'.repeat(12_000), '"x'.repeat(30_000)]) {
      const started = performance.now();
      expect(hasAlready({ headers: { 'if-none-match': sent } }, '"a"')).toBe(false);
      expect(performance.now() - started).toBeLessThan(500);
    }
  });
});

describe('askedRange', () => {
  const ask = (range: string | undefined, more: { ifRange?: string; method?: string; size?: number } = {}) => {
    const { ifRange, method = 'GET', size = 100 } = more;
    const headers = { ...(range !== undefined && { range }), ...(ifRange !== undefined && { 'if-range': ifRange }) };
    return askedRange({ method, headers }, { etag: '"a"', size });
  };

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['Bytes= 90-', 90, 99],
    ['bytes=99-1000', 99, 99],
    ['bytes=-1', 99, 99],
    ['bytes=-1000', 0, 99],
    [`bytes=5-${'9'.repeat(400)}`, 5, 99],
  ])('%s are some bytes', (range, first, last) => expect(ask(range)).toEqual({ first, last }));

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])('%s are none', (range) =>
    expect(ask(range)).toBe('none'),
  );

  it.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b', 'bytes=1.5-'])(
    '%s is answered with all bytes',
    (range) => expect(ask(range)).toBeNull(),
  );

  it('an empty body has no range', () => {
    expect([ask('bytes=0-', { size: 0 }), ask('bytes=-1', { size: 0 })]).toEqual(['none', 'none']);
  });

  it('counts only for the body that If-Range names, and for GET', () => {
    expect(ask('bytes=1-2', { ifRange: '"a"' })).toEqual({ first: 1, last: 2 });
    for (const ifRange of ['"b"', 'W/"a"', 'Sun, 06 Nov 1994 08:49:37 GMT', '']) {
      expect(ask('bytes=1-2', { ifRange })).toBeNull();
    }
    expect(ask('bytes=1-2', { method: 'HEAD' })).toBeNull();
  });
});
