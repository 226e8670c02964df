import { lockRepository } from '../../repo/lock-repository.ts';
import { removeUserGroupLevel } from '../../repo/permission-store.ts';
import { requireUserGroup } from '../../user-group/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const revokeUserGroupPermission: MethodHandler<'revoke_user_group_permission'> = async (
  { repoid, usersgroupid },
  { transact },
) =>
  transact(async (scope) => {
    const { db } = scope;
    const repository = await lockRepository(scope, repoid, 'no key update');
    const group = await requireUserGroup(db, usersgroupid);
    await removeUserGroupLevel(db, group.id, repository.id);
    return { msg: `Revoked perm for user group: \`${group.name}\` in repo: \`${repository.name}\``, success: true };
  });
