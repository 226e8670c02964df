import type { ServedName } from '@trunkline/contracts';

const onRepository: [method: ServedName, args: object][] = [
  ['grant_user_permission', { repoid: 'repo', userid: 'ann', perm: 'repository.write' }],
  ['revoke_user_permission', { repoid: 1, userid: 3 }],
  ['grant_user_group_permission', { repoid: 'repo', usersgroupid: 'devs', perm: 'repository.read' }],
  ['revoke_user_group_permission', { repoid: 'repo', usersgroupid: 1 }],
  ['lock', { repoid: 'repo', locked: true }],
  ['lock', { repoid: 'repo', userid: 'ann', locked: false }],
  ['follow_repo', { repoid: 'repo' }],
  ['unfollow_repo', { repoid: 'repo', userid: 'root' }],
];
const onRepoGroups: [method: ServedName, args: object][] = [
  ['grant_user_permission_to_repo_group', { repogroupid: 'group', userid: 'ann', perm: 'group.write' }],
  ['revoke_user_permission_from_repo_group', { repogroupid: 1, userid: 3 }],
  ['grant_user_group_permission_to_repo_group', { repogroupid: 1, usersgroupid: 'devs', perm: 'group.read' }],
  ['revoke_user_group_permission_from_repo_group', { repogroupid: 'group', usersgroupid: 1 }],
];
const onKeys: [method: ServedName, args: object][] = [
  ['create_api_key', { description: 'mine' }],
  ['create_api_key', { userid: 'bob', lifetime: 5, limited_to: 'push' }],
  ['revoke_api_key', { api_key_id: 50 }],
  ['revoke_api_key', { api_key_id: 50, userid: 4 }],
];
const onHolders: [method: ServedName, args: object][] = [
  ['add_user_to_user_group', { usersgroupid: 'devs', userid: 'ann' }],
  ['remove_user_from_user_group', { usersgroupid: 1, userid: 3 }],
  ['grant_global_permission', { userid: 'ann', perm: 'hg.create.repository' }],
  ['grant_global_permission', { usersgroupid: 'devs', perm: 'hg.create.repository' }],
  ['revoke_global_permission', { userid: 3, perm: 'hg.create.repository' }],
  ['revoke_global_permission', { usersgroupid: 1, perm: 'hg.create.repository' }],
];
/** Writes of one row, each with the repository that its entry in the audit log names. */
export const writes = [
  ...onRepository.map((call) => [...call, 1] as const),
  ...[...onHolders, ...onRepoGroups, ...onKeys].map((call) => [...call, null] as const),
];

/** Statements that insert what calls on the user `ann` remove. */
export const rowsOfAnn = [
  `insert into api_keys (id, user_id, mac, sealed, secret_id) overriding system value values (50, 3, 'mine', '', '')`,
  'insert into user_group_members (user_id, user_group_id) values (3, 1)',
  `insert into user_global_permissions (user_id, permission) values (3, 'hg.create.repository')`,
  'insert into followers (user_id, repository_id) values (3, 1)',
  'insert into user_repository_permissions (user_id, repository_id, level) values (3, 1, 1)',
].map((insert) => `${insert} on conflict do nothing`);

const ann = 'users where id = 3';
export const namingKey = { userid: 'ann', limited_to: 'fetch', repositories: ['repo'] };
const [onRepo, onGroup] = [
  { repoid: 'repo', userid: 'ann' },
  { usersgroupid: 'devs', userid: 'ann' },
];
const [key, permission] = [
  { userid: 'ann', api_key_id: 50 },
  { userid: 'ann', perm: 'hg.create.repository' },
];

/** Calls with the row for which each waits. */
export const waiting: [method: ServedName, args: object, row: string][] = [
  ['grant_user_permission', { ...onRepo, perm: 'repository.admin' }, ann],
  ['revoke_user_permission', onRepo, 'user_repository_permissions where user_id = 3'],
  ['lock', { ...onRepo, locked: true }, ann],
  ['follow_repo', onRepo, ann],
  ['unfollow_repo', onRepo, 'followers where user_id = 3'],
  ['create_api_key', { userid: 'ann' }, ann],
  ['create_api_key', namingKey, ann],
  ['reset_api_key', { userid: 'ann' }, ann],
  ['revoke_api_key', key, 'api_keys where id = 50'],
  ['add_user_to_user_group', onGroup, ann],
  ['remove_user_from_user_group', onGroup, 'user_group_members where user_id = 3'],
  ['grant_global_permission', permission, ann],
  ['revoke_global_permission', permission, 'user_global_permissions where user_id = 3'],
];

const devs = 'user_groups where id = 1';

/** Calls that take something away, with the row of the user or user group from whom. */
export const revocations: [method: ServedName, args: object, holder: string][] = [
  ['revoke_user_permission', onRepo, ann],
  ['revoke_user_group_permission', { repoid: 'repo', usersgroupid: 'devs' }, devs],
  ['revoke_user_permission_from_repo_group', { repogroupid: 'group', userid: 'ann' }, ann],
  ['revoke_user_group_permission_from_repo_group', { repogroupid: 'group', usersgroupid: 'devs' }, devs],
  ['revoke_api_key', key, ann],
  ['remove_user_from_user_group', onGroup, ann],
  ['remove_user_from_user_group', onGroup, devs],
  ['revoke_global_permission', permission, ann],
  ['revoke_global_permission', { usersgroupid: 'devs', perm: 'hg.create.repository' }, devs],
  ['unfollow_repo', onRepo, ann],
];
