import { describe, expect, it } from 'vitest';
import { isSameOrigin } from './same-origin.ts';

const host = 'code.example.com';

describe('isSameOrigin', () => {
  it.each([
    ['a page of ours', { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }, true],
    ['a program', { host }, true],
    ['behind a proxy with another host', { host: '10.0.0.7:5000', origin: 'https://public.example.com' }, true],
    ['a foreign page', { host, origin: 'https://evil.example' }, false],
    ['a sister site', { host, origin: `https://x.${host}`, 'sec-fetch-site': 'same-site' }, false],
    ['a page without origin', { host, origin: 'null' }, false],
    ['what only tells that it is foreign', { host, 'sec-fetch-site': 'cross-site' }, false],
    ['another port', { host, origin: `https://${host}:8443` }, false],
  ])('%s', (_, headers, expected) => {
    expect(isSameOrigin(headers, ['public.example.com'])).toBe(expected);
  });
});
