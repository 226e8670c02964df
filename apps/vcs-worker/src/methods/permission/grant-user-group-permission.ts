import { requireRepositoryLevel } from '../../authz/require-level.ts';
import { lockRepository } from '../../repo/lock-repository.ts';
import { setUserGroupLevel } from '../../repo/permission-store.ts';
import { requireUserGroup } from '../../user-group/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const grantUserGroupPermission: MethodHandler<'grant_user_group_permission'> = async (
  { repoid, usersgroupid, perm },
  { transact },
) =>
  transact(async (scope) => {
    const { db } = scope;
    const repository = await lockRepository(scope, repoid, 'no key update');
    const level = requireRepositoryLevel(perm);
    const group = await requireUserGroup(db, usersgroupid);
    await setUserGroupLevel(db, group.id, repository.id, level);
    const msg = `Granted perm: \`${perm}\` for user group: \`${group.name}\` in repo: \`${repository.name}\``;
    return { msg, success: true };
  });
