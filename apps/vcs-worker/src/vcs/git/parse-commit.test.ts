import { describe, expect, it } from 'vitest';
import { isClearlyDated, parseCommit } from './parse-commit.ts';

const id = 'b'.repeat(40);
const tree = `tree ${'a'.repeat(40)}\n`;
const people = 'author Ann <ann@example.com> 1 +0000\ncommitter Bob <b@example.com> 1463404029 +0200\n';

function parse(text: string, encoding: BufferEncoding = 'utf8') {
  return parseCommit({ id, type: 'commit', size: text.length, content: Buffer.from(text, encoding) }, 7);
}

const committedAt = (seconds: string) =>
  parse(`${tree}author A <a> 1 +0000\ncommitter B <b> ${seconds} +0000\n\n`).date;

describe('parseCommit', () => {
  it('reads the author, the committer’s time and the message', () => {
    expect(parse(`${tree}parent ${id}\n${people}\nSubject é\n\nbody\n`)).toEqual({
      rawId: id,
      revision: 7,
      author: 'Ann <ann@example.com>',
      date: new Date('2016-05-16T13:07:09Z'),
      message: 'Subject é\n\nbody\n',
    });
  });

  it('skips signatures and other headers, whatever they hold', () => {
    const signature =
      'gpgsig -----BEGIN\n author Eve <e> 2 +0000\n committer Eve <e> 2 +0000\n encoding latin1\n -----END\n';
    expect(parse(`${tree}${people}${signature}x-other author\n\nauthor in the body é`)).toMatchObject({
      author: 'Ann <ann@example.com>',
      message: 'author in the body é',
    });
  });

  it.each([
    ['ISO-8859-1', '\xe9', 'é'],
    ['latin1', '\xe9', 'é'],
    ['latin-1', '\xe9', 'é'],
    ['iso8859-1', '\xe9', 'é'],
    ['ISO8859-15', '\xa4', '€'],
    ['CP1252', '\x80', '€'],
    ['cp1251', '\xe1', 'б'],
    ['KOI8-R', '\xc2', 'б'],
    ['CP437', '\x82', 'é'],
    ['CP850', '\x82', 'é'],
    ['Shift_JIS', '\x93\xfa', '日'],
    ['CP932', '\x93\xfa', '日'],
    ['eucJP', '\xc6\xfc', '日'],
    ['8859_2', '\xb9', 'š'],
    ['UHC', '\xc7\xd1', '한'],
    ['SJIS-WIN', '\x93\xfa', '日'],
    ['ISO2022JP', '\x1b$BF|\x1b(B', '日'],
    ['ISO-2022-JP', '\x1b$BF|\x1b(B', '日'],
    ['GBK', '\xd6\xd0', '中'],
    ['CP936', '\xd6\xd0', '中'],
    ['GB18030', '\xd6\xd0', '中'],
    ['Big5', '\xa4\xa4', '中'],
    ['CP950', '\xa4\xa4', '中'],
    ['EUC-KR', '\xc7\xd1', '한'],
    ['CP949', '\xc7\xd1', '한'],
    // Bytes that are UTF-8, too, are read as the commit says.
    ['ISO-8859-1', '\xc3\xa9', 'Ã©'],
  ])('reads a commit in %s', (encoding, bytes, text) => {
    const commit = `${tree}author ${bytes} <z> 1 +0000\ncommitter B <b> 1 +0000\nencoding ${encoding}\n\n${bytes}`;
    expect(parse(commit, 'latin1')).toMatchObject({ author: `${text} <z>`, message: text });
  });

  it.each(['nonsense', 'UTF-16', 'hex', 'base64', 'x'.repeat(1_000), 'constructor', 'UTF-8'])(
    'reads a commit in %s as UTF-8 or, if it is not, as text without an encoding',
    (encoding) => {
      expect(parse(`${tree}${people}encoding ${encoding}\n\né`).message).toBe('é');
      expect(parse(`${tree}${people}encoding ${encoding}\n\ncaf\xe9 au lait`, 'latin1').message).toBe('café au lait');
    },
  );

  it('keeps the end of an author without an address, whose last byte looks like a space', () => {
    expect(parse(`${tree}author voilà 1 +0000\ncommitter B <b> 1 +0000\n\nx`).author).toBe('voilà');
  });

  it('reads author and message in other encodings than UTF-8 each by itself', () => {
    const author = Buffer.from('author Zoë <z> 1 +0000\n').toString('latin1');
    const commit = `${tree}${author}committer B <b> 1 +0000\n\nd\xe9j\xe0 vu`;
    expect(parse(commit, 'latin1')).toMatchObject({ author: 'Zoë <z>', message: 'déjà vu' });
  });

  it('reads missing or malformed fields as empty, and such a time as 1970', () => {
    expect(parse(`${tree}${people}`).message).toBe('');
    expect(parse(`${tree}${people}\n`).message).toBe('');
    expect(parse(`${tree}committer B <b> 1 +0000\n\nx`)).toMatchObject({ author: '', message: 'x' });
    expect(parse(`${tree}author <> 1 +0000\n\nx`)).toMatchObject({ author: '<>', date: new Date(0) });
    expect(committedAt('soon')).toEqual(new Date(0));
    expect(parse('')).toMatchObject({ author: '', message: '', date: new Date(0) });
  });

  it.each([
    ['<a@example.org> 1300000000 +0000', '<a@example.org>'],
    ['A<a@example.org> 1300000000 +0000', 'A<a@example.org>'],
    ['A 1300000000 +0000', 'A'],
    ['A <<a@example.org>> 1300000000 +0000', 'A <<a@example.org>>'],
    ['A <a@example.org>1300000000 +0000', 'A <a@example.org>'],
    ['A <a@example.org> 1300000000 +051800', 'A <a@example.org>'],
    ['A <a@example.org> 1300000000 PST', 'A <a@example.org>'],
    ['A <a@example.org> 1300000000', 'A <a@example.org>'],
    ['1300000000 +0000', ''],
    [' 1300000000 +0000', ''],
  ])('reads %j, as old tools have written it', (line, author) => {
    const date = new Date(1_300_000_000_000);
    expect(parse(`${tree}author ${line}\ncommitter ${line}\n\nx`)).toMatchObject({ author, date });
  });

  it.each([
    ['Bob <b> 1 +0000', true],
    ['<b> 1 +0000', true],
    ['Bob <<b>> 1 +0000', false],
    ['Bob 1 +0000', false],
    ['Bob <b>1 +0000', false],
    ['Bob <b> -1 +0000', false],
    ['Bob <b> 1 PST', false],
  ])('the date of the committer %j is clear: %s', (line, isClear) => {
    expect(isClearlyDated({ content: Buffer.from(`${tree}author A <a> 1 +0000\ncommitter ${line}\n\nx`) })).toBe(
      isClear,
    );
  });

  it.each([
    ['0', '1970-01-01T00:00:00.000Z'],
    ['-86400', '1969-12-31T00:00:00.000Z'],
    ['99999999999999999999', '9999-12-31T23:59:59.000Z'],
    ['-99999999999999999999', '0001-01-01T00:00:00.000Z'],
    ['4294967296', '2106-02-07T06:28:16.000Z'],
  ])('reads the time %s', (seconds, date) => {
    expect(committedAt(seconds).toISOString()).toBe(date);
  });
});
