import { describe, expect, it } from 'vitest';
import { noticeCookie, readNotice } from './notice.ts';

function carried(text: string): string | null {
  return readNotice(noticeCookie(text).split(';')[0]);
}

describe('noticeCookie', () => {
  it.each(['Saved', 'user `x; y=z` does not exist', 'ümlaut, 中文', '<b>%0d%0aSet-Cookie: a=b'])(
    'carries %j',
    (text) => {
      expect(carried(text)).toBe(text);
    },
  );

  it('cuts a notice to 300 characters', () => expect(carried('x'.repeat(9_999))).toHaveLength(300));

  it('is absent from a request without cookies', () => expect(readNotice(undefined)).toBeNull());
});
