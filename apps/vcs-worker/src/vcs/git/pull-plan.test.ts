import { describe, expect, it } from 'vitest';
import { planPull } from './pull-plan.ts';

type Ids = Readonly<Record<string, string>>;

const plan = (there: Ids, here: Ids, { prunes = false, head = 'refs/heads/main' } = {}) => {
  const { updates, removals, names, pulled } = planPull({
    there: new Map(Object.entries(there)),
    here: new Map(Object.entries(here)),
    prunes,
    head,
  });
  const counts = Object.fromEntries(Object.entries(pulled).filter(([, count]) => count > 0));
  return { updates, removals, names: [...names].toSorted(), counts };
};

const change = (name: string, from: string | null, to: string | null) => ({ name, from, to });

describe('planPull', () => {
  it('moves and adds branches, adds tags, and keeps a tag that differs', () => {
    const there = { 'refs/heads/main': 'b', 'refs/heads/new': 'c', 'refs/tags/new': 'd', 'refs/tags/old': 'e' };
    const here = { 'refs/heads/main': 'a', 'refs/heads/own': 'a', 'refs/tags/old': 'a', 'refs/tags/own': 'a' };
    expect(plan(there, here)).toEqual({
      updates: [
        change('refs/heads/main', 'a', 'b'),
        change('refs/heads/new', null, 'c'),
        change('refs/tags/new', null, 'd'),
      ],
      removals: [],
      names: [...new Set([...Object.keys(there), ...Object.keys(here)])].toSorted(),
      counts: { branchesAdded: 1, branchesMoved: 1, tagsAdded: 1, tagsKept: 1 },
    });
  });

  it('plans nothing where all is here', () => {
    const same = { 'refs/heads/main': 'a', 'refs/tags/t': 'b' };
    for (const prunes of [true, false]) {
      expect(plan(same, same, { prunes })).toMatchObject({ updates: [], removals: [], counts: {} });
    }
  });

  it('removes what is gone there only when it prunes, the branch of HEAD too while there is another one', () => {
    const there = { 'refs/heads/other': 'a' };
    const here = { 'refs/heads/main': 'a', 'refs/heads/other': 'a', 'refs/tags/t': 'b' };
    expect(plan(there, here).removals).toEqual([]);
    expect(plan(there, here, { prunes: true })).toEqual({
      updates: [],
      removals: [change('refs/heads/main', 'a', null), change('refs/tags/t', 'b', null)],
      names: ['refs/heads/other'],
      counts: { branchesRemoved: 1, tagsRemoved: 1 },
    });
  });

  it('keeps the branch of HEAD while the remote has no branch', () => {
    const here = { 'refs/heads/main': 'a', 'refs/heads/other': 'a' };
    const removals = [change('refs/heads/other', 'a', null)];
    expect(plan({ 'refs/tags/t': 'a' }, here, { prunes: true })).toMatchObject({
      removals,
      names: ['refs/heads/main', 'refs/tags/t'],
    });
  });

  it('leaves out names that one which is gone there excludes, unless it prunes', () => {
    const there = { 'refs/heads/main': 'a', 'refs/heads/a/b': 'a', 'refs/heads/c': 'a', 'refs/tags/a/b': 'a' };
    const here = { 'refs/heads/main': 'a', 'refs/heads/a': 'a', 'refs/heads/c/d/e': 'a' };
    expect(plan(there, here)).toMatchObject({
      updates: [change('refs/tags/a/b', null, 'a')],
      counts: { tagsAdded: 1, leftOut: 2 },
    });
    expect(plan(there, here, { prunes: true })).toMatchObject({
      updates: [
        change('refs/heads/a/b', null, 'a'),
        change('refs/heads/c', null, 'a'),
        change('refs/tags/a/b', null, 'a'),
      ],
      removals: [change('refs/heads/a', 'a', null), change('refs/heads/c/d/e', 'a', null)],
      counts: { branchesAdded: 2, branchesRemoved: 2, tagsAdded: 1 },
    });
  });
});
