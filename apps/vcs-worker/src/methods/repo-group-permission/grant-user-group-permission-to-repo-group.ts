import { requireRepoGroupPermission } from '../../authz/require-level.ts';
import { lockAdministeredRepoGroup } from '../../authz/repo-group/require-repo-group-level.ts';
import { setLevels } from '../../repo-group/repo-group-permission-store.ts';
import { requireUserGroup } from '../../user-group/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const grantUserGroupPermissionToRepoGroup: MethodHandler<'grant_user_group_permission_to_repo_group'> = async (
  { repogroupid, usersgroupid, perm, apply_to_children: below },
  { transact },
) =>
  transact(async ({ db, access }) => {
    const group = await lockAdministeredRepoGroup(db, access, repogroupid);
    const level = requireRepoGroupPermission(perm);
    const userGroup = await requireUserGroup(db, usersgroupid);
    await setLevels(db, { kind: 'user group', id: userGroup.id }, { group, below, administeredBy: access.user }, level);
    const done = `Granted perm: \`${perm}\` (recursive:${below})`;
    const msg = `${done} for user group: \`${userGroup.name}\` in repo group: \`${group.name}\``;
    return { msg, success: true };
  });
