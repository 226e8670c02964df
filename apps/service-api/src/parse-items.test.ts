import { describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { parseItems } from './parse-items.ts';

describe('parseItems', () => {
  it('splits at the first colon and keeps the rest', () => {
    expect(parseItems(['clone_uri:http://h:80/r', 'ldap_dn:uid=bent,dc=x', 'empty:'])).toEqual({
      clone_uri: 'http://h:80/r',
      ldap_dn: 'uid=bent,dc=x',
      empty: '',
    });
  });

  it('keeps every value a string, and the last value of a name', () => {
    expect(parseItems(['a:1', 'a:true', 'b:null'])).toEqual({ a: 'true', b: 'null' });
  });

  it('keeps a name that objects inherit as a member like any other', () => {
    expect(JSON.stringify(parseItems(['__proto__:x', 'constructor:y']))).toBe('{"__proto__":"x","constructor":"y"}');
  });

  it('refuses a word without a colon', () => {
    expect(() => parseItems(['a:1', 'b'])).toThrow(new UsageError('Error parsing arguments'));
  });
});
