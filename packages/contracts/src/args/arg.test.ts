import * as v from 'valibot';
import { expect, it } from 'vitest';
import { argValues, optional, required, withValues } from './arg.ts';
import { flag, text } from './schemas.ts';

it.each([
  ['a flag', optional(flag, null, 'A switch'), ['true', 'false']],
  ['a picklist', required(v.picklist(['hg', 'git']), 'A type'), ['hg', 'git']],
  ['a picklist or null', required(v.nullable(v.picklist(['hg', 'git'])), 'A type'), ['hg', 'git']],
  ['a text with values', withValues(required(text(9), 'A text'), ['a', 'b']), ['a', 'b']],
  ['a text', required(text(9), 'A text'), []],
])('lists the values of %s', (_case, arg, values) => {
  expect(argValues(arg)).toEqual(values);
});
