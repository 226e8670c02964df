import { describe, expect, it } from 'vitest';
import { cancelEffect, cancelNotice } from './cancel-operation-page.tsx';

const failed = 'The operation ends as failed.';

describe('what cancelling does', () => {
  it.each([
    ['create', 'The repository is removed', 'The repository is removed'],
    ['import', 'The repository is removed', 'The repository is removed'],
    ['fork', 'Its source stays as it is.', 'Its source stays as it is.'],
    ['adopt', 'Its files stay where they are.', 'Its files stay where they are.'],
    ['pull', 'keeps all that it had before', failed],
    ['push', 'goes on to its end', failed],
    ['move', 'The repository stays on its storage', 'The repository stays on its storage'],
    ['maintain', 'stays whole', 'stays whole'],
    ['verify', 'The repository stays as it is', 'The repository stays as it is'],
    ['restore', 'The repository stays deleted', 'The repository stays deleted'],
    ['default_branch', 'The default branch stays as it was', failed],
    ['kind-of-a-later-release', failed, failed],
    ['constructor', failed, failed],
  ])('to an operation of the kind %s is said, with its storage and without', (kind, text, withoutStorage) => {
    expect(cancelEffect({ kind }, false)).toContain(text);
    expect(cancelEffect({ kind }, false)).not.toContain('Its storage is away');
    expect(cancelEffect({ kind }, true)).toContain(withoutStorage);
    expect(cancelEffect({ kind }, true)).toContain('Its storage is away');
  });

  it('to a deletion is said only without its storage', () => {
    expect(cancelEffect({ kind: 'delete' }, false)).toBeNull();
    expect(cancelEffect({ kind: 'delete' }, true)).toContain('the repository exists again');
  });
});

it.each([
  'is being cancelled',
  'is already being cancelled',
  'has already ended',
  'was ended without its storage, which is away',
])('tells that an operation %s', (words) => {
  expect(cancelNotice(`operation \`4d6e\` ${words}`)).toBe(`The operation ${words}.`);
});
