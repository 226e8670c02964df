import { describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { parseCommandLine } from './command-line.ts';

function refusal(words: readonly string[]): string {
  try {
    parseCommandLine(words);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
}

describe('parseCommandLine', () => {
  it('takes options before, between and after the words', () => {
    const expected = {
      options: { apikey: 'k', apihost: 'http://h', format: 'json' },
      method: 'get_repo',
      items: ['repoid:a', 'x:1'],
    };
    expect(
      parseCommandLine(['--apikey=k', '--apihost', 'http://h', '--format=json', 'get_repo', 'repoid:a', 'x:1']),
    ).toEqual(expected);
    expect(
      parseCommandLine(['get_repo', '--apikey', 'k', 'repoid:a', '--format', 'json', 'x:1', '--apihost=http://h']),
    ).toEqual(expected);
  });

  it('chooses no format by default', () => {
    expect(parseCommandLine(['test']).options.format).toBeUndefined();
  });

  it.each([['--apikey=-'], ['--apikey', '-'], ['--apikey=@-'], ['--apikey', '@a=b']])(
    'takes %j as a key',
    (...words) => {
      const { options, method } = parseCommandLine([...words, 'test']);
      expect({ method, key: options.apikey }).toEqual({ method: 'test', key: words.at(-1)?.replace('--apikey=', '') });
    },
  );

  it('returns no method when none is given', () => {
    expect(parseCommandLine(['--save-config'])).toMatchObject({ options: { saveConfig: true }, method: undefined });
  });

  it.each([['-h'], ['--help']])('accepts %s after a method', (flag) => {
    expect(parseCommandLine(['get_repo', flag])).toMatchObject({ options: { help: true }, method: 'get_repo' });
  });

  it.each([
    [['--format', 'xml', 'test'], "option '--format <FORMAT>' argument 'xml' is invalid"],
    [['--apikey'], "option '--apikey <KEY>' argument missing"],
    [['--apihost=', 'test'], 'Option --apihost needs a value'],
    [['test', '--verbose'], "unknown option '--verbose'"],
    [['test', '--formt=json'], "unknown option '--formt', did you mean --format?"],
    [['test', '--fail-if-null'], "unknown option '--fail-if-null', did you mean --fail-on-null?"],
  ])('refuses %j', (words, text) => {
    expect(refusal(words)).toContain(text);
  });

  it.each([
    [['--api-key=SECRET', 'test']],
    [['--api-key=SECRET=\nSECRET', 'test']],
    [['--apihost', '--apikey=SECRET', 'test']],
    [['--config', '--apikey=SECRET', 'test']],
  ])('throws an error without the key: %j', (words) => {
    expect(refusal(words)).not.toBe('');
    expect(refusal(words)).not.toContain('SECRET');
  });
});
