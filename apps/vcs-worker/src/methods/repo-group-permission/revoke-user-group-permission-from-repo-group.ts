import { lockAdministeredRepoGroup } from '../../authz/repo-group/require-repo-group-level.ts';
import { removeLevels } from '../../repo-group/repo-group-permission-store.ts';
import { requireUserGroup } from '../../user-group/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const revokeUserGroupPermissionFromRepoGroup: MethodHandler<
  'revoke_user_group_permission_from_repo_group'
> = async ({ repogroupid, usersgroupid, apply_to_children: below }, { transact }) =>
  transact(async ({ db, access }) => {
    const group = await lockAdministeredRepoGroup(db, access, repogroupid);
    const userGroup = await requireUserGroup(db, usersgroupid);
    await removeLevels(db, { kind: 'user group', id: userGroup.id }, { group, below, administeredBy: access.user });
    const done = `Revoked perm (recursive:${below})`;
    const msg = `${done} for user group: \`${userGroup.name}\` in repo group: \`${group.name}\``;
    return { msg, success: true };
  });
