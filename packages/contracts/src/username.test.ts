import { describe, expect, it } from 'vitest';
import { usernameProblem } from './username.ts';

describe('usernameProblem', () => {
  it.each(['a', 'ann@example.com', '_x', '1a', 'Ünal', 'a-b.c_d', 'x'.repeat(255)])('accepts %j', (name) => {
    expect(usernameProblem(name)).toBeUndefined();
  });

  it.each([
    '',
    '12',
    '٤٢',
    '½x',
    'a²',
    'new_user',
    'New_User',
    '-a',
    '.a',
    '@a',
    'a b',
    'a/b',
    'a\u202eb',
    'x'.repeat(256),
  ])('refuses %j', (name) => {
    expect(usernameProblem(name)).toBeTypeOf('string');
  });
});
