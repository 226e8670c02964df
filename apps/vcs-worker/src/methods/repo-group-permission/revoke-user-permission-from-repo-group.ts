import { lockAdministeredRepoGroup } from '../../authz/repo-group/require-repo-group-level.ts';
import { removeLevels } from '../../repo-group/repo-group-permission-store.ts';
import { requireUser } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const revokeUserPermissionFromRepoGroup: MethodHandler<'revoke_user_permission_from_repo_group'> = async (
  { repogroupid, userid, apply_to_children: below },
  { transact },
) =>
  transact(async ({ db, access }) => {
    const group = await lockAdministeredRepoGroup(db, access, repogroupid);
    const user = await requireUser(db, userid);
    await removeLevels(db, { kind: 'user', id: user.id }, { group, below, administeredBy: access.user });
    const done = `Revoked perm (recursive:${below})`;
    const msg = `${done} for user: \`${user.username}\` in repo group: \`${group.name}\``;
    return { msg, success: true };
  });
