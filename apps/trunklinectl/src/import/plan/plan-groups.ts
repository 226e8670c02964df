import { levels, userGroupNameProblem } from '@trunkline/contracts';
import type { Grants, Source, SourceRepoGroup, SourceUserGroup } from '../source/source.ts';
import { cleanUserGroupName, planNames } from './plan-names.ts';
import { type DerivedRows, deriveRows, type Granted, type Members, sourceLevel } from './levels.ts';
import { type Finding, tellRights } from './finding.ts';
import { withoutDeleted, type Here } from './here.ts';
import type { PlannedRepoGroup, PlannedUserGroup } from './plan.ts';
import { knownNames } from './plan-users.ts';

export function membersOf({ userGroups, users, defaultUserId, countsInactive }: Source): Members {
  const groupsOf = new Map<number, number[]>(users.map(({ id }) => [id, []]));
  for (const group of userGroups) for (const id of group.memberIds) groupsOf.get(id)?.push(group.id);
  return {
    defaultUserId,
    groupsOf,
    membersOf: new Map(userGroups.map(({ id, memberIds }) => [id, memberIds])),
    countsInactive,
    inactive: new Set(userGroups.filter(({ active }) => !active).map(({ id }) => id)),
  };
}

/**
 * Returns the owner of a group here, where owning one gives the level `admin`; in the source it gives none. Null, with
 * a finding, for an owner who would get more.
 */
function ownerHere(
  { users, defaultUserId }: Source,
  members: Members,
  granted: Granted,
  { ownerId, about }: { readonly ownerId: number | null; readonly about: string },
  findings: Finding[],
) {
  const owner = ownerId === defaultUserId ? undefined : users.find(({ id }) => id === ownerId);
  if (!owner) return null;
  const level = sourceLevel(granted, members, owner.id);
  if (owner.admin || level === levels.admin) return owner.id;
  const what = `the owner \`${owner.username}\` may not administer it: the first administrator owns it here`;
  findings.push({ kind: 'rights', about, what });
  return null;
}

const creationByWrite = 'hg.create.write_on_repogroup';

export function planUserGroups(source: Source, here: Here, findings: Finding[]): PlannedUserGroup[] {
  const userGroups = withoutDeleted(here, 'user_group', source.userGroups);
  const { known, taken } = knownNames(
    here,
    'user_group',
    userGroups.map(({ id }) => id),
  );
  const naming = { word: 'user group', clean: cleanUserGroupName, problemOf: userGroupNameProblem, known, taken };
  const names = planNames(userGroups, naming, findings);
  const members = membersOf(source);
  return userGroups.map((group: SourceUserGroup): PlannedUserGroup => {
    const about = `user group ${group.name}`;
    const granted = { rule: source.rule, grants: group.grants, ownerId: null, private: false };
    const others = [...group.grants.users.keys()].filter((id) => id !== group.ownerId && id !== source.defaultUserId);
    if (others.length + group.grants.userGroups.size > 0) {
      findings.push({ kind: 'left out', about, what: 'rights of others than its owner to administer the user group' });
    }
    const ownerId = ownerHere(source, members, granted, { ownerId: group.ownerId, about }, findings);
    return {
      id: group.id,
      name: names.get(group.id) ?? group.name,
      profile: { description: group.description, active: group.active, ownerId },
      createdAt: group.createdAt,
      memberIds: group.memberIds.filter((id) => id !== source.defaultUserId),
    };
  });
}

const hasWrite = ({ users, userGroups }: Grants) =>
  [...users.values(), ...userGroups.values()].some((values) => values.includes(levels.write));

/**
 * Returns what gives levels on repository groups. Where `write` on a group is not enough to create repositories in it,
 * it counts as `read`: here it is enough.
 */
function grantsHere({ users, defaultUserId }: Source, grants: Grants): Grants {
  const everyone = users.find(({ id }) => id === defaultUserId)?.permissions ?? [];
  const needsAdmin = everyone.includes(`${creationByWrite}.false`) && !everyone.includes(`${creationByWrite}.true`);
  if (!needsAdmin) return grants;
  const lowered = (all: Grants['users']) =>
    new Map([...all].map(([id, values]) => [id, values.map((one) => (one === levels.write ? levels.read : one))]));
  return { users: lowered(grants.users), userGroups: lowered(grants.userGroups) };
}

export function planRepoGroups(
  source: Source,
  names: ReadonlyMap<number, string>,
  findings: Finding[],
): PlannedRepoGroup[] {
  const members = membersOf(source);
  const plan = (group: SourceRepoGroup): PlannedRepoGroup[] => {
    const name = names.get(group.id);
    if (name === undefined) return [];
    const about = `repository group ${group.name}`;
    const grants = grantsHere(source, group.grants);
    if (grants !== group.grants && hasWrite(group.grants)) {
      const what = '`write` does not allow to create repositories in it, as it would here: it is `read`';
      findings.push({ kind: 'rights', about, what });
    }
    const granted: Granted = { rule: source.rule, grants, ownerId: null, private: false };
    const rows: DerivedRows = deriveRows(granted, members);
    tellRights(source, rows, about, findings);
    const ownerId = ownerHere(source, members, granted, { ownerId: group.ownerId, about }, findings);
    const { description, enableLocking, createdAt } = group;
    const levelOf = (userId: number) => sourceLevel(granted, members, userId);
    return [{ id: group.id, name, profile: { description, enableLocking, ownerId }, createdAt, rows, levelOf }];
  };
  // Parents come first.
  return source.repoGroups.flatMap(plan).toSorted((a, b) => a.name.split('/').length - b.name.split('/').length);
}
