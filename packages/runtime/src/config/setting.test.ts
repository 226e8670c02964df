import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  commandValue,
  ConfigError,
  integerValue,
  listValue,
  optionalTextValue,
  readConfig,
  setting,
  textValue,
} from './setting.ts';

const described = (fallback: string | null) => ({ default: fallback, description: 'What it is for' });

const settings = {
  URL: setting(textValue, described(null)),
  PORT: setting(integerValue(0, 65_535), described('5000')),
  REMOTES: setting(listValue, described('')),
  FOLDER: setting(optionalTextValue, described('')),
  COMMAND: setting(commandValue, described('["hg"]')),
  LEVEL: setting(v.picklist(['info', 'warn']), described('info')),
};

function problems(env: Record<string, string>): string {
  try {
    readConfig(settings, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('readConfig', () => {
  it('uses the defaults for variables that are unset or empty', () => {
    const expected = { URL: 'x', PORT: 5_000, REMOTES: [], FOLDER: null, COMMAND: ['hg'], LEVEL: 'info' };
    expect(readConfig(settings, { URL: 'x' })).toEqual(expected);
    expect(readConfig(settings, { URL: 'x', PORT: '', REMOTES: '', FOLDER: '', COMMAND: '', LEVEL: '' })).toEqual(
      expected,
    );
  });

  it('reads variables that are set', () => {
    const env = { URL: 'x', PORT: '0', REMOTES: ' a, ,b ', FOLDER: '/f', COMMAND: '["npx","hg"]', LEVEL: 'warn' };
    expect(readConfig(settings, env)).toEqual({
      URL: 'x',
      PORT: 0,
      REMOTES: ['a', 'b'],
      FOLDER: '/f',
      COMMAND: ['npx', 'hg'],
      LEVEL: 'warn',
    });
  });

  it('names every wrong variable in one message', () => {
    expect(problems({ PORT: '65536', COMMAND: 'hg' })).toBe(
      'URL must be set; PORT must be at most 65535; COMMAND must be a JSON list of words',
    );
  });

  it.each(['-1', '1.5', '1e3', '0x10', ' 1', '١', '9'.repeat(16)])('refuses %j, which is no whole number', (PORT) => {
    expect(problems({ URL: 'x', PORT })).toBe('PORT must be a whole number');
  });

  it.each([
    [{ PORT: 'SECRET' }, 'PORT must be a whole number'],
    [{ COMMAND: 'SECRET' }, 'COMMAND must be a JSON list of words'],
    [{ COMMAND: '"SECRET"' }, 'COMMAND must be a JSON list of words'],
    [{ COMMAND: '{"SECRET":1}' }, 'COMMAND must be a JSON list of words'],
    [{ COMMAND: '[["SECRET"]]' }, 'COMMAND must be a JSON list of words'],
    [{ COMMAND: '["hg",{"SECRET":1}]' }, 'COMMAND must be a JSON list of words'],
    [{ COMMAND: '["hg",1]' }, 'COMMAND must be a JSON list of words'],
    [{ COMMAND: '[]' }, 'COMMAND must be a JSON list of words'],
    [{ LEVEL: 'SECRET' }, 'LEVEL has a value that cannot be used'],
  ])('does not show the value of %j in its message', (env, text) => {
    expect(problems({ URL: 'x', ...env })).toBe(text);
  });
});
