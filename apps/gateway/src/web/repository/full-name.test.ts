import { describe, expect, it } from 'vitest';
import { fullName, landingRevision, withoutKind } from './full-name.ts';

const raw_id = 'a'.repeat(40);

describe('fullName', () => {
  it.each([
    ['git', 'branch', 'refs/heads/2'],
    ['git', 'tag', 'refs/tags/2'],
    ['hg', 'branch', 'branch:2'],
    ['hg', 'bookmark', 'book:2'],
    ['hg', 'tag', 'tag:2'],
  ] as const)('names in %s the %s 2 as %s', (type, kind, expected) => {
    expect(fullName(type, { kind, name: '2', raw_id })).toBe(expected);
  });

  it('is the id where no revision can have such a long name', () => {
    expect(fullName('git', { kind: 'tag', name: 'x'.repeat(255), raw_id })).toBe(`refs/tags/${'x'.repeat(255)}`);
    expect(fullName('git', { kind: 'tag', name: 'x'.repeat(256), raw_id })).toBe(raw_id);
  });
});

it('workers of release 0.1 get names of Mercurial without their kind', () => {
  expect(['branch:2', 'book:a:b', 'tip'].map((revision) => withoutKind('hg', revision))).toEqual(['2', 'a:b', 'tip']);
  expect(withoutKind('git', 'refs/heads/2')).toBe('refs/heads/2');
});

it.each([
  ['git', 'tip', 'tip'],
  ['git', 'rev:tip', 'tip'],
  ['git', '2', '2'],
  ['git', 'branch:2', 'refs/heads/2'],
  ['git', 'branch:feature/x', 'refs/heads/feature/x'],
  ['git', 'tag:1', 'refs/tags/1'],
  ['git', 'book:x', 'book:x'],
  ['hg', 'branch:2', 'branch:2'],
  ['hg', 'tag:1', 'tag:1'],
  ['hg', 'book:x', 'book:x'],
  ['hg', 'rev:', 'tip'],
  ['hg', 'branch:', 'tip'],
  ['hg', '', 'tip'],
] as const)('reads in %s the landing revision %j as the revision %s', (repo_type, landing_rev, revision) => {
  expect(landingRevision({ repo_type, landing_rev })).toBe(revision);
});

describe('landingRevision without a setting', () => {
  const ref = { kind: 'branch', name: 'feature/x', raw_id, closed: false } as const;

  it.each(['tip', 'rev:tip', '', 'rev:', 'branch:'])('%j is the default branch', (landing_rev) => {
    const of = (repo_type: 'git' | 'hg') => landingRevision({ repo_type, landing_rev, default_ref: ref });
    expect([of('git'), of('hg')]).toEqual(['refs/heads/feature/x', 'branch:feature/x']);
  });

  it('is the id of a branch that no address can name, and `tip` where there is no branch', () => {
    const at = { repo_type: 'hg', landing_rev: 'tip' } as const;
    expect(landingRevision({ ...at, default_ref: { ...ref, name: 'a\nb' } })).toBe(raw_id);
    expect(landingRevision({ ...at, default_ref: { ...ref, kind: 'bookmark', name: '@' } })).toBe('book:@');
    expect(landingRevision({ ...at, default_ref: null })).toBe('tip');
  });

  it.each(['2', 'branch:2', 'rev:2'])('%j, which an owner has set, wins', (landing_rev) => {
    expect(landingRevision({ repo_type: 'hg', landing_rev, default_ref: ref })).toMatch(/2$/);
  });
});
