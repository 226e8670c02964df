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

  it.each(['ISO-8859-1', 'latin1', 'iso8859-1', 'CP1252'])('reads a commit in %s', (encoding) => {
    const text = `${tree}author Zoë <z> 1 +0000\ncommitter B <b> 1 +0000\nencoding ${encoding}\n\ncafé`;
    expect(parse(text, 'latin1')).toMatchObject({ author: 'Zoë <z>', message: 'café' });
  });

  it('reads an unknown encoding as UTF-8 and shows broken bytes with replacement characters', () => {
    expect(parse(`${tree}${people}encoding nonsense\n\né`).message).toBe('é');
    expect(parse(`${tree}${people}\ncaf\xe9`, 'latin1').message).toBe('caf\ufffd');
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
