import { describe, expect, it } from 'vitest';
import { BusyError } from '../errors.ts';
import { readFormat } from './read-format.ts';

const readers = { 1: (message: unknown) => ['one', message], 2: (message: unknown) => ['two', message] };

describe('readFormat', () => {
  it.each([
    ['the format that the message names', { format: 2, text: 'x' }, 'two'],
    ['format 1 of a message without a number', { text: 'x' }, 'one'],
  ])('reads %s', (_case, message, reader) => {
    expect(readFormat(readers, message)).toEqual([reader, message]);
  });

  it.each([0, 3, 1.5, -1])('refuses format %d as busy, and says why in the log', (format) => {
    expect(() => readFormat(readers, { format })).toThrow(
      expect.objectContaining({
        name: BusyError.name,
        cause: expect.objectContaining({ message: expect.stringContaining(`its format is ${format}`) }),
      }),
    );
  });

  it.each([[null], ['1'], [{ format: '1' }], [{ format: null }], [{ format: 'toString' }]])(
    'refuses %j as malformed',
    (message) => {
      expect(() => readFormat(readers, message)).toThrow(expect.objectContaining({ name: 'ValiError' }));
    },
  );
});
