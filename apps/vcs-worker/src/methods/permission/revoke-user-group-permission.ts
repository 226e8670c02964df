import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { removeHeldRow } from '../../domain/user/change-held-row.ts';
import { levelsOnRepositories } from '../../domain/user/held-row-store.ts';
import { userGroupNotFound } from '../../domain/groups/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const revokeUserGroupPermission: MethodHandler<'revoke_user_group_permission'> = async (
  { repoid, usersgroupid },
  { transact },
) =>
  transact(async (scope) => {
    const { id: object, name, access } = await lockRepository(scope, repoid, 'no key update');
    const change = { holder: usersgroupid, object };
    const { holder } = await removeHeldRow({ ...scope, access }, levelsOnRepositories['user group'], change);
    if (!holder) throw userGroupNotFound(usersgroupid);
    return { msg: `Revoked perm for user group: \`${holder.name}\` in repo: \`${name}\``, success: true };
  }, 'no key update');
