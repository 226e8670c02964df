import type { RefRecord } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { revisionChoices } from './revision-form.tsx';

const ref = (kind: RefRecord['kind'], name: string, closed = false): RefRecord => ({
  kind,
  name,
  raw_id: '0'.repeat(40),
  closed,
});

describe('revisionChoices', () => {
  it('groups the references by kind, without tip and names that no address can contain', () => {
    const tags = ['tip', 'v1', 'v\ufffd'].map((name) => ref('tag', name));
    const refs = [ref('branch', 'a/b'), ref('bookmark', 'm'), ...tags, ref('branch', 'old', true)];
    expect(revisionChoices({ refs, next: null })).toEqual({
      groups: [
        { label: 'Branches', revisions: ['a/b'] },
        { label: 'Bookmarks', revisions: ['m'] },
        { label: 'Tags', revisions: ['v1'] },
        { label: 'Closed branches', revisions: ['old'] },
      ],
      isComplete: true,
    });
  });

  it('is not complete when another page of references follows', () => {
    expect(revisionChoices({ refs: [ref('tag', 'v1')], next: '2v1' }).isComplete).toBe(false);
  });
});
