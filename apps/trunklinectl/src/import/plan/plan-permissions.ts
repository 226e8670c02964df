import type { GlobalPermission } from '@trunkline/contracts';
import type { Source, SourceUser, SourceUserGroup } from '../source/source.ts';
import type { Finding } from './finding.ts';

const permissions: readonly GlobalPermission[] = ['hg.create.repository', 'hg.fork.repository'];

/** Kinds of which the user `default` has one each, for what is created later. */
const chosenKinds = {
  repository: ['repository.none', 'repository.read', 'repository.write', 'repository.admin'],
  group: ['group.none', 'group.read', 'group.write', 'group.admin'],
  usergroup: ['usergroup.none', 'usergroup.read', 'usergroup.write', 'usergroup.admin'],
  register: ['hg.register.none', 'hg.register.manual_activate', 'hg.register.auto_activate'],
} as const;

export interface PlannedPermissions {
  /** What `default` has of each kind; the least where the source has none. */
  readonly chosen: readonly { readonly among: readonly string[]; readonly permission: string }[];
  /** Who holds each global permission, by ids of the source. */
  readonly holders: readonly PermissionHolders[];
}

export interface PermissionHolders {
  readonly permission: GlobalPermission;
  readonly everybody: boolean;
  /** Users who have the permission, by whatever row. */
  readonly havingIds: readonly number[];
  /** Users who get a row of their own, and user groups that do. */
  readonly userIds: readonly number[];
  readonly userGroupIds: readonly number[];
}

/** Returns whether a user who is no administrator has a global permission in the source. */
function hasPermission(source: Source, user: SourceUser, groups: readonly SourceUserGroup[], permission: string) {
  const everyone = source.users.find(({ id }) => id === source.defaultUserId);
  const ofDefault = everyone?.permissions.includes(permission) ?? false;
  const counted = groups.filter(({ active }) => active || source.countsInactive);
  if (source.rule === 'best') {
    return ofDefault || [user, ...counted].some((one) => one.permissions.includes(permission));
  }
  // Former releases: own permissions replace all others, or do not count.
  if (!user.inherits) return user.permissions.includes(permission);
  const holding = counted.filter((group) => group.permissions.length > 0).toSorted((a, b) => a.id - b.id);
  return holding.reduce((has, group) => (group.inherits && has) || group.permissions.includes(permission), ofDefault);
}

type GroupsOf = (userId: number) => readonly SourceUserGroup[];

/** Returns a function that gives the user groups of a user. */
function groupsByUser({ userGroups }: Source): GroupsOf {
  const groups = new Map<number, SourceUserGroup[]>();
  for (const group of userGroups) {
    for (const id of group.memberIds) {
      const own = groups.get(id);
      if (own) own.push(group);
      else groups.set(id, [group]);
    }
  }
  return (userId) => groups.get(userId) ?? [];
}

function planHolders(
  source: Source,
  groupsOf: GroupsOf,
  permission: GlobalPermission,
  findings: Finding[],
): PermissionHolders {
  const everyone = source.users.find(({ id }) => id === source.defaultUserId);
  const users = source.users.filter(({ id, admin }) => id !== source.defaultUserId && !admin);
  const having = new Set(
    users.filter((user) => hasPermission(source, user, groupsOf(user.id), permission)).map(({ id }) => id),
  );
  const isCommon = everyone?.permissions.includes(permission) ?? false;
  const everybody = isCommon && users.every(({ id }) => having.has(id));
  if (isCommon && !everybody) {
    const what = `\`${permission}\` of \`default\` does not apply to every user: those to whom it applies have it as their own`;
    findings.push({ kind: 'rights', about: 'user default', what });
  }
  // A group keeps the permission where nobody gets it who does not have it.
  const nonAdmin = new Set(users.map(({ id }) => id));
  const groups = source.userGroups.filter(
    ({ active, permissions: held, memberIds }) =>
      active && held.includes(permission) && memberIds.every((id) => !nonAdmin.has(id) || having.has(id)),
  );
  const through = new Set(groups.flatMap(({ memberIds }) => memberIds));
  const alone = users.filter(
    ({ id, permissions: held }) => having.has(id) && !everybody && (held.includes(permission) || !through.has(id)),
  );
  return {
    permission,
    everybody,
    havingIds: [...having],
    userIds: alone.map(({ id }) => id),
    userGroupIds: groups.map(({ id }) => id),
  };
}

export function planPermissions(source: Source, findings: Finding[]): PlannedPermissions {
  const held = source.users.find(({ id }) => id === source.defaultUserId)?.permissions ?? [];
  const chosen = Object.values(chosenKinds).map((among) => ({
    among,
    permission: among.find((one) => held.includes(one)) ?? among[0],
  }));
  const groupsOf = groupsByUser(source);
  return { chosen, holders: permissions.map((one) => planHolders(source, groupsOf, one, findings)) };
}
