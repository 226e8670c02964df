import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { emailAddress } from './email-address.ts';

describe('emailAddress', () => {
  it.each([
    ['A.User@Example.COM', 'a.user@example.com'],
    [' a@b ', 'a@b'],
    ['ü@bücher.example', 'ü@bücher.example'],
  ])('parses %j into the text as sent and the address as stored', (sent, address) => {
    expect(v.parse(emailAddress, sent)).toEqual({ sent, address });
  });

  it.each(['', 'a', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b\nc@d'])('refuses %j', (value) => {
    expect(() => v.parse(emailAddress, value)).toThrow('must be an e-mail address');
  });

  it('refuses an address that is too long, and a value that is not a string', () => {
    expect(() => v.parse(emailAddress, `${'a'.repeat(255)}@b`)).toThrow('must be at most 254 characters');
    expect(() => v.parse(emailAddress, 7)).toThrow('must be a string');
  });
});
