import { expect, it } from 'vitest';
import { cancelNotice } from './cancel-notice.ts';

it.each([
  'is being cancelled',
  'is already being cancelled',
  'has already ended',
  'was ended without its storage, which is away',
])('tells that an operation %s', (words) => {
  expect(cancelNotice(`operation \`4d6e\` ${words}`)).toBe(`The operation ${words}.`);
});
