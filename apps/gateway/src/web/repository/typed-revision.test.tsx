import type { NameMeaning } from '@trunkline/contracts';
import { describe, expect, it, vi } from 'vitest';
import type { Visit } from '../visit.ts';
import { linkedRevision, NameNote, splitAtLongest } from './typed-revision.tsx';

const other = (kind: 'branch' | 'bookmark' | 'tag', name: string) => ({
  kind,
  name,
  raw_id: '0'.repeat(40),
  closed: false,
});

const none: NameMeaning = { taken_for: null, others: [], prefix_of: null, beginning: null };

function shown(repo_type: 'git' | 'hg', revision: string, meaning?: Partial<NameMeaning>): string {
  const hrefOf = (at: string) => `/r/files/${encodeURIComponent(at)}`;
  return String(
    <NameNote
      repository={{ repo_type }}
      revision={revision}
      meaning={meaning && { ...none, ...meaning }}
      hrefOf={hrefOf}
    />,
  );
}

describe('the note on an ambiguous name', () => {
  it('says what is shown, and links to the others by their full names', () => {
    const number = shown('git', '2', { taken_for: 'number', others: [other('branch', '2'), other('tag', '2')] });
    expect(number).toContain('“2” stands for the changeset with this number. There is also');
    expect(number).toContain('<a href="/r/files/refs%2Fheads%2F2">the branch 2</a>');
    expect(number).toContain(' and <a href="/r/files/refs%2Ftags%2F2">the tag 2</a>');
    const bookmark = shown('hg', 'dup', { taken_for: 'bookmark', others: [other('branch', 'dup')] });
    expect(bookmark).toContain('“dup” stands for the bookmark of this name.');
    expect(bookmark).toContain('<a href="/r/files/branch%3Adup">the branch dup</a>');
  });

  it('links to the changeset whose id begins with the name', () => {
    const id = `abcd${'0'.repeat(36)}`;
    const note = shown('git', 'abcd', { taken_for: 'branch', prefix_of: id });
    expect(note).toContain(`There is also <a href="/r/files/${id}">the changeset abcd00000000</a>.`);
  });

  it('escapes names visibly', () => {
    const name = '<b>\u202E';
    const note = shown('git', name, { taken_for: 'branch', others: [other('tag', name)] });
    expect(note).toContain('“&lt;b&gt;\\u{202E}”');
    expect(note).not.toMatch(/<b>|\u202E/);
  });

  it('is left out of a name with one meaning, or of which nothing is known', () => {
    expect(shown('git', 'main', { taken_for: 'branch', others: [] })).toBe('');
    expect(shown('git', 'main')).toBe('');
  });
});

describe('an address with slashes that are not escaped', () => {
  it.each([
    [['feature', 'x', 'README.md'], 'feature/x', { revision: 'feature/x', path: 'README.md' }],
    [['refs', 'heads', 'x', 'f'], 'refs/heads/x', { revision: 'refs/heads/x', path: 'f' }],
    [['feature', 'x'], 'feature/x', { revision: 'feature/x', path: '' }],
    [['main', 'f'], null, null],
  ])('begins with the longest name: %j', async (segments, beginning, expected) => {
    const call = vi.fn(async () => ({ meaning: { ...none, beginning } }));
    expect(await splitAtLongest({ worker: { call } } as unknown as Visit, 1, segments)).toEqual(expected);
    const named = `${segments.join('/')}/`;
    expect(call.mock.calls).toEqual([['list_refs', { repoid: 1, named, limit: 1 }]]);
  });

  it.each(['feature/x', 'branch:feature', 'tag:1', 'book:m', 'a'.repeat(40), 'tip'])(
    'is not looked for after %s, which is a whole revision',
    async (first) => {
      const visit = {} as Visit;
      expect(await splitAtLongest(visit, 1, [first, 'x', 'README.md'])).toBeNull();
    },
  );
});

it('links go on from a name in full, or the id, only where a path could be the rest of a longer name', () => {
  const rawId = 'b'.repeat(40);
  const linked = (revision: string, meaning?: Partial<NameMeaning>) =>
    linkedRevision({ type: 'hg', revision, meaning: meaning && { ...none, ...meaning }, rawId });
  expect(linked('feature', { taken_for: 'branch', is_beginning: true })).toBe('branch:feature');
  expect(linked('2', { taken_for: 'number', is_beginning: true })).toBe(rawId);
  expect(linked('a/b', { taken_for: 'branch', is_beginning: true })).toBe('a/b');
  expect(linked('feature', { taken_for: 'branch', is_beginning: false })).toBe('feature');
  expect(linked('feature', { taken_for: 'branch' })).toBe('feature');
  expect(linked('feature')).toBe('feature');
});
