import type { Source } from '../source/source.ts';
import type { Finding } from './finding.ts';
import { importedId, withoutDeleted, type Here, type ImportedKind } from './here.ts';
import { planRepoGroups, planUserGroups } from './plan-groups.ts';
import { planPaths } from './plan-paths.ts';
import { planPermissions } from './plan-permissions.ts';
import { planRepositories } from './plan-repositories.ts';
import { planUsers } from './plan-users.ts';
import type { Plan } from './plan.ts';

export interface PlanOptions {
  readonly weakKeys: boolean;
  readonly now: Date;
}

/** Returns the names here of what was imported before, by ids of the source. */
function knownPaths(here: Here, kind: 'repo_group' | 'repository', ids: readonly number[]) {
  const names = kind === 'repo_group' ? here.repoGroups : here.repositories;
  return new Map(
    ids.flatMap((id): [number, string][] => {
      const name = names.get(importedId(here, kind, id) ?? 0);
      return name === undefined ? [] : [[id, name]];
    }),
  );
}

/** Counts what the source still has, and what was deleted here since it was imported. */
function countDeleted(source: Source, here: Here): Plan['deletedHere'] {
  const count = (kind: ImportedKind, all: readonly { readonly id: number }[]) =>
    all.length - withoutDeleted(here, kind, all).length;
  const counts = {
    users: count('user', source.users),
    'user groups': count('user_group', source.userGroups),
    'repository groups': count('repo_group', source.repoGroups),
    repositories: count('repository', source.repositories),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0));
}

/** Plans an import: the same source and the same instance give the same plan. */
export function makePlan(source: Source, here: Here, { weakKeys, now }: PlanOptions): Plan {
  const findings: Finding[] = [];
  const { planned: users, commonNetworks } = planUsers(source, here, { weakKeys, now, taken: new Set() }, findings);
  const userGroups = planUserGroups(source, here, findings);
  const paths = planPaths(
    withoutDeleted(here, 'repo_group', source.repoGroups),
    withoutDeleted(here, 'repository', source.repositories),
    {
      repoGroups: knownPaths(
        here,
        'repo_group',
        source.repoGroups.map(({ id }) => id),
      ),
      repositories: knownPaths(
        here,
        'repository',
        source.repositories.map(({ id }) => id),
      ),
      taken: new Set([...here.repoGroups.values(), ...here.repositories.values()]),
    },
    findings,
  );
  return {
    sourceId: source.id,
    defaultUserId: source.defaultUserId,
    users,
    userGroups,
    repoGroups: planRepoGroups(source, paths.repoGroups, findings),
    repositories: planRepositories(source, paths.repositories, findings),
    permissions: planPermissions(source, findings),
    commonNetworks,
    deletedHere: countDeleted(source, here),
    findings,
    notBrought: source.notBrought,
  };
}
