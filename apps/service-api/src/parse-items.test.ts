import { describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { parseItems, readItems } from './parse-items.ts';

const sources = { read: async (source: string, use: string) => `${source} for ${use}` };
const read = (...items: string[]) => readItems(parseItems(items), sources);

describe('items', () => {
  it('are split at the first colon and keep the rest', async () => {
    expect(await read('clone_uri:http://h:80/r', 'ldap_dn:uid=bent,dc=x', 'empty:')).toEqual({
      clone_uri: 'http://h:80/r',
      ldap_dn: 'uid=bent,dc=x',
      empty: '',
    });
  });

  it('have strings as values, of which the last one of a name counts', async () => {
    expect(await read('a:1', 'a:true', 'b:null')).toEqual({ a: 'true', b: 'null' });
  });

  it('keep a name that objects inherit as a member like any other', async () => {
    expect(JSON.stringify(await read('__proto__:x', 'constructor:y'))).toBe('{"__proto__":"x","constructor":"y"}');
  });

  it.each([
    ['a=@file', { a: '@file for "a"' }],
    ['a=@dir:x/file=@b', { a: '@dir:x/file=@b for "a"' }],
    ['a=-', { a: '- for "a"' }],
    ['a=@-', { a: '@- for "a"' }],
  ])('read the value of %j from its source', async (item, expected) => {
    expect(await read(item)).toEqual(expected);
  });

  it.each([
    ['a:@file', { a: '@file' }],
    ['a:@@file', { a: '@@file' }],
    ['a:-', { a: '-' }],
    ['a:=@file', { a: '=@file' }],
    ['a:b=@file', { a: 'b=@file' }],
    [':=@file', { '': '=@file' }],
    ['=@a:b', { '=@a': 'b' }],
    ['a=b:c', { 'a=b': 'c' }],
  ])('send %j as older clients do', async (item, expected) => {
    expect(await read(item)).toEqual(expected);
  });

  it.each(['b', 'b=', 'b=x', 'b=@', 'b=--', '=-', '=@file', '@file', '-'])('cannot be %j', (item) => {
    expect(() => parseItems(['a:1', item])).toThrow(new UsageError('Error parsing arguments'));
  });
});
