import { describe, expect, it } from 'vitest';
import type { Source, SourceUser } from '../source/source.ts';
import type { Finding } from './finding.ts';
import { planPermissions } from './plan-permissions.ts';

const user = (id: number, permissions: readonly string[], fields: Partial<SourceUser> = {}): SourceUser => ({
  ...{ id, username: `user-${id}`, password: '', active: true, admin: false, firstname: null, lastname: null },
  ...{ email: null, lastLogin: null, createdAt: null, externType: null, externName: null, ldapDn: null },
  ...{ inherits: true, apiKey: null, furtherKeys: [], furtherEmails: [], networks: [], permissions },
  ...fields,
});

const sourceOf = (users: readonly SourceUser[], fields: Partial<Source> = {}): Source => ({
  ...{ id: 'kallithea 1', rule: 'best', countsInactive: false, defaultUserId: 1, users },
  ...{ userGroups: [], repoGroups: [], repositories: [], notBrought: {} },
  ...fields,
});

const planned = (source: Source) => {
  const findings: Finding[] = [];
  return { ...planPermissions(source, findings), findings };
};

describe('planPermissions', () => {
  it('takes what `default` has of each kind for what is created later, and the least where it has none', () => {
    const { chosen } = planned(sourceOf([user(1, ['repository.write', 'hg.register.auto_activate'])]));
    expect(chosen.map(({ permission }) => permission)).toEqual([
      'repository.write',
      'group.none',
      'usergroup.none',
      'hg.register.auto_activate',
    ]);
  });

  it('gives a permission of `default` to each to whom it applies, where it does not apply to every user', () => {
    const users = [user(1, ['hg.create.repository']), user(2, []), user(3, [], { inherits: false })];
    const { holders, findings } = planned(sourceOf(users, { rule: 'user row first' }));
    expect(holders[0]).toMatchObject({ permission: 'hg.create.repository', everybody: false, userIds: [2] });
    expect(findings).toEqual([expect.objectContaining({ kind: 'rights', about: 'user default' })]);
    expect(planned(sourceOf(users)).holders[0]).toMatchObject({ everybody: true, userIds: [] });
  });
});
