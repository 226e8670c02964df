import { describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { endpointOf } from './endpoint.ts';

describe('endpointOf', () => {
  it.each([
    ['http://h:5000', 'http://h:5000/_admin/api'],
    ['https://h/trunkline///', 'https://h/trunkline/_admin/api'],
    ['http://[::1]:80/', 'http://[::1]/_admin/api'],
  ])('appends the path to %s', (apihost, url) => {
    expect(endpointOf(apihost).href).toBe(url);
  });

  it.each(['localhost:5000', 'h', 'ftp://h', 'file:///etc', 'http://', 'http://h:99999'])('refuses %s', (apihost) => {
    expect(() => endpointOf(apihost)).toThrow(UsageError);
  });

  it('refuses a login that no header can have, and does not repeat it', () => {
    const refused = 'Invalid apihost: a % in the name or password before @ has to be written as %25';
    expect(() => endpointOf('http://ann:100%secret@h')).toThrow(refused);
    expect(endpointOf('http://ann:100%25secret@h').password).toBe('100%25secret');
  });
});
