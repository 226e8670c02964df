import { describe, expect, it } from 'vitest';
import { revisionChoices } from './revision-choices.ts';

const id = '0'.repeat(40);
const none = { branches: {}, bookmarks: {}, tags: {}, branches_closed: {} };
const named = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, id]));

describe('revisionChoices', () => {
  it('groups the references by kind, without tip and names that no address can contain', () => {
    const tags = { tip: id, v1: id, 'v\ufffd': id };
    expect(revisionChoices({ ...none, branches: { 'a/b': id }, tags })).toEqual({
      groups: [
        { label: 'Branches', revisions: ['a/b'] },
        { label: 'Tags', revisions: ['v1'] },
      ],
      isComplete: true,
    });
  });

  it('holds at most 500 revisions, and is not complete when there are more', () => {
    const refs = { ...none, branches: named('b', 499), tags: named('t', 2), branches_closed: named('c', 1) };
    const { groups, isComplete } = revisionChoices(refs);
    expect(groups.map(({ revisions }) => revisions.length)).toEqual([499, 1]);
    expect(isComplete).toBe(false);
    expect(revisionChoices({ ...none, tags: named('t', 500) }).isComplete).toBe(true);
  });
});
