import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gzipApart, takesEncoding } from './gzip.ts';

const secretOf = () => randomBytes(32).toString('base64url');
const pageWith = (secret: string, guess: string) =>
  `<p>${'words of a page '.repeat(300)}</p><input value="${secret}"><a href="?${guess}">é</a><input value="${secret}">`;

describe('gzipApart', () => {
  it.each(['', 'x', 'words '.repeat(50_000)])('gives what is read as the same text', async (text) => {
    expect(gunzipSync(await gzipApart(text, null)).toString()).toBe(text);
    const page = pageWith(secretOf(), text);
    expect(gunzipSync(await gzipApart(page, 'no such text')).toString()).toBe(page);
  });

  it('keeps a secret as it is, and makes it cost the same whatever else the page has', async () => {
    const [secret, other] = [secretOf(), secretOf()];
    const zipped = await gzipApart(pageWith(secret, ''), secret);
    expect(gunzipSync(zipped).toString()).toBe(pageWith(secret, ''));
    expect([zipped.length < 600, zipped.includes(secret)]).toEqual([true, true]);
    // A guess that is right but for its last letter, so that it is no occurrence of the secret.
    const guess = `value="${secret.slice(0, -1)}`;
    const sizeApart = async (one: string) => (await gzipApart(pageWith(one, guess), one)).length;
    const sizeTogether = async (one: string) => (await gzipApart(pageWith(one, guess), null)).length;
    expect(await sizeApart(secret)).toBe(await sizeApart(other));
    expect(await sizeTogether(secret)).toBeLessThan(await sizeTogether(other));
  });
});

describe('takesEncoding', () => {
  it.each([
    ['gzip, deflate, br', true],
    ['br;q=1.0, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['br', false],
    ['x-gzip', false],
    [undefined, false],
  ])('%s: %s', (sent, isTaken) => {
    expect(takesEncoding({ headers: sent === undefined ? {} : { 'accept-encoding': sent } }, 'gzip')).toBe(isTaken);
  });
});
