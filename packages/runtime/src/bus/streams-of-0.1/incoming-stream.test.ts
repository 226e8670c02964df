import { expect, it } from 'vitest';
import { createStreamWindow } from './incoming-stream.ts';

const windowBytes = 80;

it('begins with a quarter of the window, and has all of it once the reader has taken three windows', () => {
  const window = createStreamWindow(null, windowBytes);
  const unread = [window.credit];
  for (let at = 0; at < 4 * windowBytes; at += 10) {
    expect(window.accept(at, new Uint8Array(10))).toBe(true);
    window.take();
    window.renew();
    unread.push(window.credit - window.bytesRead);
  }
  expect(unread[0]).toBe(20);
  expect(unread.indexOf(80)).toBe(24);
  expect(Math.max(...unread)).toBe(80);
  expect(unread).toEqual(unread.toSorted((one, other) => one - other));
});
