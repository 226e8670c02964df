import { expect, it } from 'vitest';
import { withoutPassword } from './repository-fields.tsx';

it.each([
  ['https://example.com/repo', 'https://example.com/repo'],
  ['https://ada@example.com/repo', 'https://ada@example.com/repo'],
  ['https://ada:secret@example.com/repo', ''],
  ['https://ada:secret@exa mple.com/repo', ''],
  ['ada:secret@example.com/repo', ''],
  ['https:ada:secret@example.com/repo', ''],
  ['git://ada:secret@example.com/repo', ''],
  ['no address', 'no address'],
])('shows %s as %j', (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
});
