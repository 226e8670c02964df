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
/** Writes of one round trip, each with the repository that its entry in the audit log names. */
export const writes = [
  ...onRepository.map((call) => [...call, 1] as const),
  ...[...onHolders, ...onRepoGroups, ...onKeys].map((call) => [...call, null] as const),
];
