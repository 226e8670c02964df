import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { inlineType, plainText, savedType } from './content-type.ts';

const file = { size: 5, binary: false };

describe('content types', () => {
  it('have a charset if all of the text is known to be UTF-8', () => {
    expect(plainText(Buffer.from('café'))).toBe('text/plain; charset=utf-8');
    expect(plainText(Buffer.from('caf\xe9', 'latin1'))).toBe('text/plain');
    expect(plainText(Readable.from(['café']))).toBe('text/plain');
    expect(inlineType('x.html', { ...file, utf8: true })).toBe('text/plain; charset=utf-8');
    expect(inlineType('x.html', { ...file, utf8: false })).toBe('text/plain');
    expect(savedType('x.html', { ...file, utf8: true })).toBe('text/html; charset=utf-8');
    expect(savedType('x.html', { ...file, utf8: false })).toBe('text/html');
  });

  it('have none for what a worker of an earlier release says of a file', () => {
    expect(inlineType('x.txt', file)).toBe('text/plain');
    expect(savedType('x.txt', file)).toBe('text/plain');
  });

  it('of other files have none', () => {
    expect(inlineType('x.bin', { ...file, binary: true, utf8: true })).toBeNull();
    expect(inlineType('x.png', { ...file, utf8: true })).toBe('image/png');
    expect(savedType('x.zip', { ...file, utf8: true })).toBe('application/zip');
    expect(savedType('x', { ...file, utf8: true })).toBe('application/octet-stream');
  });

  it.each([
    ['font.woff2', null, 'font/woff2'],
    ['module.wasm', null, 'application/wasm'],
    ['paper.pdf', null, 'application/pdf'],
    ['song.mp3', null, 'audio/mpeg'],
    ['film.webm', null, 'video/webm'],
    ['photo.webp', 'image/webp', 'image/webp'],
    ['photo.avif', 'image/avif', 'image/avif'],
    ['scan.tiff', null, 'image/tiff'],
    // Its name says that it is text, which it is not.
    ['page.html', null, 'application/octet-stream'],
  ])('of the binary file %s are those of its name: shown as %s, saved as %s', (name, shown, saved) => {
    const head = { ...file, binary: true, utf8: false };
    expect([inlineType(name, head), savedType(name, head)]).toEqual([shown, saved]);
  });

  it.each([
    ['page.html', 'text/html; charset=utf-8'],
    ['page.xhtml', 'application/xhtml+xml; charset=utf-8'],
    ['feed.xml', 'application/xml; charset=utf-8'],
    ['data.json', 'application/json'],
    // TypeScript, not a transport stream of MPEG.
    ['main.ts', 'application/octet-stream'],
  ])('of the text %s never let a browser read it as more than text, and are %s where it is saved', (name, saved) => {
    const head = { ...file, utf8: true };
    expect([inlineType(name, head), savedType(name, head)]).toEqual(['text/plain; charset=utf-8', saved]);
  });
});
