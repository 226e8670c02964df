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

  it('carries no more than a sentence', () => expect(carried('x'.repeat(9_999))).toHaveLength(300));

  it('nothing is no notice', () => expect(readNotice(undefined)).toBeNull());
});
