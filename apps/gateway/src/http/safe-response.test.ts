import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { headerText, quotedHeaderText } from './safe-response.ts';

describe('headerText', () => {
  it.each([
    ['plain text, "quoted" \\ 100%', 'plain text, "quoted" \\ 100%'],
    ['ü', '%C3%BC'],
    ['プロ', '%E3%83%97%E3%83%AD'],
    ['\u{1f600}', '%F0%9F%98%80'],
    ['a\r\nX: y\0\x7f', 'a%0D%0AX: y%00%7F'],
    ['\ud800', '%EF%BF%BD'],
  ])('A11 makes %j text that a status line and a header may have', (text, safe) => {
    expect(headerText(text)).toBe(safe);
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    expect(() => response.writeHead(403, headerText(text), { 'X-Text': headerText(text) })).not.toThrow();
  });
});

describe('quotedHeaderText', () => {
  it('A11 makes a quoted parameter of any text', () => {
    expect(quotedHeaderText('a "b" \\ ü\r\nX: y')).toBe('"a \\"b\\" \\\\ %C3%BC%0D%0AX: y"');
  });
});
