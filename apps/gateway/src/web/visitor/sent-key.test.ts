import { expect, it } from 'vitest';
import { sentKey } from './sent-key.ts';

it.each([
  [undefined, '', null],
  [undefined, 'api_key=', ''],
  [undefined, 'api_key=a', 'a'],
  ['Bearer b', '', 'b'],
  ['bearer b', 'api_key=a', 'b'],
  ['Bearer', 'api_key=a', ''],
  ['Bearer b c', 'api_key=a', 'b c'],
  ['Basic Yjpj', 'api_key=a', 'a'],
  ['Basic Yjpj', '', null],
])('finds in Authorization %s and the query ?%s the key %s', (authorization, query, expected) => {
  const headers = authorization === undefined ? {} : { authorization };
  expect(sentKey(headers, new URLSearchParams(query))).toBe(expected);
});
