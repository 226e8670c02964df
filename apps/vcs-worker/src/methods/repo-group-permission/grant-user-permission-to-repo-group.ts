import { requireRepoGroupPermission } from '../../authz/require-level.ts';
import { lockAdministeredRepoGroup } from '../../authz/repo-group/require-repo-group-level.ts';
import { setLevels } from '../../repo-group/repo-group-permission-store.ts';
import { requireUser } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const grantUserPermissionToRepoGroup: MethodHandler<'grant_user_permission_to_repo_group'> = async (
  { repogroupid, userid, perm, apply_to_children: below },
  { transact },
) =>
  transact(async ({ db, access }) => {
    const group = await lockAdministeredRepoGroup(db, access, repogroupid);
    const user = await requireUser(db, userid);
    const level = requireRepoGroupPermission(perm);
    await setLevels(db, { kind: 'user', id: user.id }, { group, below, administeredBy: access.user }, level);
    const done = `Granted perm: \`${perm}\` (recursive:${below})`;
    const msg = `${done} for user: \`${user.username}\` in repo group: \`${group.name}\``;
    return { msg, success: true };
  });
