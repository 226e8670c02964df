import { describe, expect, it } from 'vitest';
import { createIsSecure } from './is-secure.ts';

const isSecure = createIsSecure(['10.0.0.0/8']);
const request = (remoteAddress: string, forwardedProto?: string, encrypted = false) => ({
  socket: { remoteAddress, encrypted },
  headers: forwardedProto === undefined ? {} : { 'x-forwarded-proto': forwardedProto },
});

describe('createIsSecure', () => {
  it.each([
    ['an encrypted socket', request('192.0.2.1', undefined, true)],
    ['what a trusted proxy says', request('10.0.0.1', 'https')],
    ['what a trusted proxy says in its own way', request('::ffff:10.0.0.1', ' HTTPS ')],
    ['what a trusted proxy says last', request('10.0.0.1', 'http, https')],
  ])('believes %s', (_, one) => expect(isSecure(one)).toBe(true));

  it.each([
    ['a plain socket', request('10.0.0.1')],
    ['http', request('10.0.0.1', 'http')],
    ['what the client said before its proxy', request('10.0.0.1', 'https, http')],
    ['somebody who is no trusted proxy', request('192.0.2.1', 'https')],
    ['a socket that is gone', request('', 'https')],
  ])('B12 does not believe %s', (_, one) => expect(isSecure(one)).toBe(false));
});
