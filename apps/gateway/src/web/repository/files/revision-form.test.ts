import type { RefRecord } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { chosenRevision, revisionChoices } from './revision-form.tsx';

const ref = (kind: RefRecord['kind'], name: string, closed = false): RefRecord => ({
  kind,
  name,
  raw_id: '0'.repeat(40),
  closed,
});

describe('revisionChoices', () => {
  it('groups the references by kind, named in full, without names that no revision can have', () => {
    const tags = ['2', 'v\ufffdFF', 'a\nb'].map((name) => ref('tag', name));
    const refs = [ref('branch', 'a/b'), ref('bookmark', 'm'), ...tags, ref('branch', 'old', true)];
    expect(revisionChoices('hg', { refs, next: null })).toEqual({
      groups: [
        { label: 'Branches', choices: [{ name: 'a/b', revision: 'branch:a/b' }] },
        { label: 'Bookmarks', choices: [{ name: 'm', revision: 'book:m' }] },
        { label: 'Tags', choices: ['2', 'v\ufffdFF'].map((name) => ({ name, revision: `tag:${name}` })) },
        { label: 'Closed branches', choices: [{ name: 'old', revision: 'branch:old' }] },
      ],
      isComplete: true,
    });
  });

  it('offers a branch of git that has the name of a number, or of the newest changeset', () => {
    const refs = ['2', 'HEAD', 'tip'].map((name) => ref('branch', name));
    const choices = ['2', 'HEAD', 'tip'].map((name) => ({ name, revision: `refs/heads/${name}` }));
    expect(revisionChoices('git', { refs, next: null }).groups).toEqual([{ label: 'Branches', choices }]);
  });

  it('is not complete when another page of references follows', () => {
    expect(revisionChoices('git', { refs: [ref('tag', 'v1')], next: '2v1' }).isComplete).toBe(false);
  });
});

const none = { prefix_of: null, beginning: null };

it('a revision that stands for a reference is the choice of that reference', () => {
  expect(chosenRevision('git', 'dup', { taken_for: 'branch', others: [ref('tag', 'dup')], ...none })).toBe(
    'refs/heads/dup',
  );
  expect(chosenRevision('git', '2', { taken_for: 'number', others: [ref('branch', '2')], ...none })).toBe('2');
  expect(chosenRevision('git', 'refs/tags/dup', { taken_for: 'full name', others: [], ...none })).toBe('refs/tags/dup');
  expect(chosenRevision('git', 'main', undefined)).toBe('main');
});
