import type { World } from './source-world.ts';
import { permissionId } from './source-world.ts';
import type { Row } from './write-source.ts';

const names = ['none', 'read', 'write', 'admin'] as const;
type Kind = 'repository' | 'group';

/** Columns and tables by which the rights on one kind of object are found. */
const where = {
  repository: { users: 'repo_to_perm', groups: 'users_group_repo_to_perm', id: 'repository_id' },
  group: { users: 'user_repo_group_to_perm', groups: 'users_group_repo_group_to_perm', id: 'group_id' },
} as const;

function rankOf(kind: Kind, row: Row): number {
  return names.findIndex((name) => permissionId(`${kind}.${name}`) === row['permission_id']);
}

/**
 * Returns the level that the other program gives a user who is no administrator, by its own rules: releases since
 * Kallithea 0.4 take the best of all rows, former ones a user's row before those of groups before that of `default`.
 * An owner has all rights on a repository, and none by owning a group.
 */
export function expectedLevel(world: World, kind: Kind, object: Row, userId: number): string {
  const { users, groups, id } = where[kind];
  const objectId = kind === 'repository' ? object['repo_id'] : object['group_id'];
  const on = (table: string) => (world.tables[table] ?? []).filter((row) => row[id] === objectId);
  if (kind === 'repository' && object['user_id'] === userId) return 'admin';
  const isHidden = kind === 'repository' && object['private'] === true;
  const memberships = (world.tables['users_groups_members'] ?? []).filter((row) => row['user_id'] === userId);
  const isActive = (groupId: unknown) =>
    (world.tables['users_groups'] ?? []).some((row) => row['users_group_id'] === groupId && row['users_group_active']);
  const isBest = world.generation === 'kallithea 0.7';
  const ofGroups = on(groups)
    .filter((row) => memberships.some((member) => member['users_group_id'] === row['users_group_id']))
    .filter((row) => !isBest || isActive(row['users_group_id']))
    .map((row) => rankOf(kind, row));
  const own = on(users)
    .filter((row) => row['user_id'] === userId)
    .map((row) => rankOf(kind, row));
  const everyone = isHidden
    ? []
    : on(users)
        .filter((row) => row['user_id'] === 1)
        .map((row) => rankOf(kind, row));
  const deciding = isBest
    ? [...own, ...ofGroups, ...everyone]
    : (own.length > 0 && own) || (ofGroups.length > 0 && ofGroups) || everyone;
  return names[Math.max(0, ...deciding)] ?? 'none';
}

/** Returns whether the other program gives a user who is no administrator a global permission. */
export function expectedPermission(world: World, permission: string, userId: number): boolean {
  const id = permissionId(permission);
  const has = (table: string, column: string, holder: unknown) =>
    (world.tables[table] ?? []).some((row) => row[column] === holder && row['permission_id'] === id);
  const user = (world.tables['users'] ?? []).find((row) => row['user_id'] === userId);
  const groups = (world.tables['users_groups'] ?? []).filter((group) =>
    (world.tables['users_groups_members'] ?? []).some(
      (row) => row['user_id'] === userId && row['users_group_id'] === group['users_group_id'],
    ),
  );
  if (world.generation === 'kallithea 0.7') {
    const ofGroups = groups.filter((group) => group['users_group_active']);
    return (
      has('user_to_perm', 'user_id', 1) ||
      has('user_to_perm', 'user_id', userId) ||
      ofGroups.some((group) => has('users_group_to_perm', 'users_group_id', group['users_group_id']))
    );
  }
  if (user?.['inherit_default_permissions'] === false) return has('user_to_perm', 'user_id', userId);
  let holds = has('user_to_perm', 'user_id', 1);
  for (const group of groups) {
    const groupId = group['users_group_id'];
    if (!(world.tables['users_group_to_perm'] ?? []).some((row) => row['users_group_id'] === groupId)) continue;
    holds =
      (group['users_group_inherit_default_permissions'] === true && holds) ||
      has('users_group_to_perm', 'users_group_id', groupId);
  }
  return holds;
}
