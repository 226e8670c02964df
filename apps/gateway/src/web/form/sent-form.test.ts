import { describe, expect, it } from 'vitest';
import { isSameOrigin } from './sent-form.ts';

const host = 'code.example.com';

describe('isSameOrigin', () => {
  it.each([
    ['accepts a page of the same host', { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }, true],
    ['accepts a request without Origin', { host }, true],
    ['accepts a configured host', { host: '10.0.0.7:5000', origin: 'https://public.example.com' }, true],
    ['refuses a page of another host', { host, origin: 'https://evil.example' }, false],
    ['refuses a page of a subdomain', { host, origin: `https://x.${host}`, 'sec-fetch-site': 'same-site' }, false],
    ['refuses the Origin null', { host, origin: 'null' }, false],
    ['refuses a cross-site request without Origin', { host, 'sec-fetch-site': 'cross-site' }, false],
    ['refuses a page of another port', { host, origin: `https://${host}:8443` }, false],
  ])('%s', (_, headers, expected) => {
    expect(isSameOrigin(headers, ['public.example.com'])).toBe(expected);
  });
});
