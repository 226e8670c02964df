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
});
