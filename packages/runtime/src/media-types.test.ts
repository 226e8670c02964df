import { expect, it } from 'vitest';
import { isTextType, mediaTypeOf } from './media-types.ts';

it.each([
  ['fonts/a.WOFF2', 'font/woff2'],
  ['a.wasm', 'application/wasm'],
  ['a.b.json', 'application/json'],
  ['page.html', 'text/html'],
  ['song.flac', 'audio/flac'],
  // TypeScript, not a transport stream of MPEG.
  ['main.ts', undefined],
  ['README', undefined],
  ['json', undefined],
  ['a.json/b', undefined],
  ['a.constructor', undefined],
])('the media type of %s is %s', (fileName, type) => {
  expect(mediaTypeOf(fileName)).toBe(type);
});

it.each([
  ['text/html', true],
  ['image/svg+xml', true],
  ['application/xml', true],
  ['application/json', false],
  ['image/png', false],
])('%s is text: %s', (type, expected) => {
  expect(isTextType(type)).toBe(expected);
});
