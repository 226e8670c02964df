import { groupById, readTable, type SourceDatabase } from './read-table.ts';
import { parseLocalTime } from './times.ts';
import { readGrants, readPermissions } from './read-grants.ts';
import type { SourceRepoGroup, SourceUserGroup } from './source.ts';

const userGroupColumns = [
  'users_group_id',
  'users_group_name',
  'user_group_description',
  'users_group_active',
  'users_group_inherit_default_permissions',
  'user_id',
  'created_on',
];

export async function readUserGroups(
  source: SourceDatabase,
  names: ReadonlyMap<number, string>,
  zone: string,
): Promise<SourceUserGroup[]> {
  const rows = await readTable(source, 'users_groups', userGroupColumns);
  const memberRows = await readTable(source, 'users_groups_members', ['users_group_id', 'user_id']);
  const members = groupById(memberRows, 'users_group_id', (row) => row.id('user_id'));
  const permissions = await readPermissions(source, names, 'users_group_to_perm', 'users_group_id');
  const grantsOf = await readGrants(source, names, {
    users: { table: 'user_user_group_to_perm', holder: 'user_id', on: 'user_group_id' },
    userGroups: { table: 'user_group_user_group_to_perm', holder: 'user_group_id', on: 'target_user_group_id' },
  });
  return rows.flatMap((row): SourceUserGroup[] => {
    const id = row.id('users_group_id');
    if (id === null) return [];
    return [
      {
        id,
        name: row.text('users_group_name') ?? '',
        description: row.text('user_group_description') ?? '',
        active: row.flag('users_group_active', false),
        inherits: row.flag('users_group_inherit_default_permissions', true),
        ownerId: row.id('user_id'),
        createdAt: parseLocalTime(row.text('created_on'), zone),
        memberIds: [...new Set(members.get(id))],
        permissions: permissions.get(id) ?? [],
        grants: grantsOf(id),
      },
    ];
  });
}

const repoGroupColumns = ['group_id', 'group_name', 'group_description', 'enable_locking', 'user_id', 'created_on'];

export async function readRepoGroups(
  source: SourceDatabase,
  names: ReadonlyMap<number, string>,
  zone: string,
): Promise<SourceRepoGroup[]> {
  const rows = await readTable(source, 'groups', repoGroupColumns);
  const grantsOf = await readGrants(source, names, {
    users: { table: 'user_repo_group_to_perm', holder: 'user_id', on: 'group_id' },
    userGroups: { table: 'users_group_repo_group_to_perm', holder: 'users_group_id', on: 'group_id' },
  });
  return rows.flatMap((row): SourceRepoGroup[] => {
    const id = row.id('group_id');
    if (id === null) return [];
    return [
      {
        id,
        name: row.text('group_name') ?? '',
        description: row.text('group_description') ?? '',
        ownerId: row.id('user_id'),
        enableLocking: row.flag('enable_locking', false),
        createdAt: parseLocalTime(row.text('created_on'), zone),
        grants: grantsOf(id),
      },
    ];
  });
}
