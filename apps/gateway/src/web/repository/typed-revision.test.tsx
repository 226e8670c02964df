import type { NameMeaning } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { NameNote } from './typed-revision.tsx';

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
