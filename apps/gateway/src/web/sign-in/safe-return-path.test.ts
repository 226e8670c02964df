import { expect, it } from 'vitest';
import { safeReturnPath } from './safe-return-path.ts';

it.each([
  ['/docs/files/tip?x=1', '/docs/files/tip?x=1'],
  ['/_admin/my_account', '/_admin/my_account'],
  ['/ümlaut', '/%C3%BCmlaut'],
  [null, '/'],
  ['', '/'],
  ['docs', '/'],
  ['//evil.example/x', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/x/..//evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/_admin/login?came_from=/', '/'],
])('turns the sent path %j into %s', (sent, expected) => expect(safeReturnPath(sent)).toBe(expected));

it('is at most 2,000 characters long, as an address has them', () => {
  const longest = `/${'a'.repeat(1_999)}`;
  expect(safeReturnPath(longest)).toBe(longest);
  for (const sent of [`${longest}a`, `/${'ü'.repeat(400)}`]) expect(safeReturnPath(sent)).toBe('/');
});
