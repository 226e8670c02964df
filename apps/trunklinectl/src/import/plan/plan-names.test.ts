import { repositoryNameProblem, userGroupNameProblem, usernameProblem } from '@trunkline/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanSegment, cleanUserGroupName, cleanUsername, planNames } from './plan-names.ts';
import type { Finding } from './finding.ts';
import { planPaths } from './plan-paths.ts';

const named = (names: readonly string[]) => names.map((name, at) => ({ id: at + 1, name }));

describe('names of users', () => {
  it('are accepted whatever they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        expect(usernameProblem(cleanUsername(name))).toBeUndefined();
        expect(userGroupNameProblem(cleanUserGroupName(name))).toBeUndefined();
        expect(repositoryNameProblem(cleanSegment(name, true))).toBeUndefined();
        expect(cleanSegment(name, false)).not.toContain('/');
        expect(repositoryNameProblem(`group/${cleanSegment(name, false)}`)).toBeUndefined();
      }),
    );
  });

  it('stay where they can, and are proposed once for each', () => {
    const findings: Finding[] = [];
    const names = ['a b', 'a_b', 'Änne', 'ÄNNE', '123', 'admin'];
    const naming = { word: 'user', clean: cleanUsername, problemOf: usernameProblem, known: new Map() };
    const planned = planNames(named(names), { ...naming, taken: new Set(['admin']) }, findings);
    expect(named(names).map(({ id }) => planned.get(id))).toEqual([
      'a_b-2',
      'a_b',
      'Änne',
      'ÄNNE-2',
      '123_',
      'admin-2',
    ]);
    expect(findings.map(({ about, proposed }) => [about, proposed])).toEqual([
      ['user ÄNNE', 'ÄNNE-2'],
      ['user admin', 'admin-2'],
      ['user a b', 'a_b-2'],
      ['user 123', '123_'],
    ]);
  });
});

describe('names of repositories', () => {
  it.each([
    ['lib.git', 'lib.git_'],
    ['.hidden', '_.hidden'],
    ['42', '42_'],
    ['_admin', '_admin_'],
    ['_7', '_7_'],
    ['rm__20200101_x', '_rm__20200101_x'],
    ['web site', 'web_site'],
  ])('turn %s into %s', (segment, clean) => expect(cleanSegment(segment, true)).toBe(clean));

  it('are refused where the whole is too long', () => {
    const findings: Finding[] = [];
    const long = `${'g'.repeat(150)}/${'r'.repeat(150)}`;
    const known = { repoGroups: new Map(), repositories: new Map(), taken: new Set<string>() };
    const planned = planPaths(named(['g'.repeat(150)]), named([long]), known, findings);
    expect(planned.repositories.size).toBe(0);
    expect(findings).toEqual([expect.objectContaining({ kind: 'refused', about: `repository ${long}` })]);
  });

  it('take over the new name of a group, and keep what an earlier import has named', () => {
    const findings: Finding[] = [];
    const groups = named(['42', '42/sub', 'kept']);
    const repositories = named(['42/tool', '42/sub/tool', 'kept/tool', 'gone/tool', 'taken']);
    const known = { repoGroups: new Map([[3, 'elsewhere']]), repositories: new Map(), taken: new Set(['taken']) };
    const planned = planPaths(groups, repositories, known, findings);
    expect([...planned.repoGroups.values()]).toEqual(['elsewhere', '42_', '42_/sub']);
    expect(Object.fromEntries(planned.repositories)).toEqual({
      1: '42_/tool',
      2: '42_/sub/tool',
      3: 'elsewhere/tool',
      5: 'taken-2',
    });
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'refused', about: 'repository gone/tool' }));
  });
});
