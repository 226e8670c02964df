import { requireRepositoryLevel } from '../../authz/require-level.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { userGroupNotFound } from '../../domain/groups/user-group-store.ts';
import { keepHolder } from '../../domain/user/change-held-row.ts';
import { levelsOnRepositories } from '../../domain/user/held-row-store.ts';
import type { MethodHandler } from '../context.ts';

export const grantUserGroupPermission: MethodHandler<'grant_user_group_permission'> = async (
  { repoid, usersgroupid, perm },
  { transact },
) =>
  transact(async (scope) => {
    const { id: object, name, access } = await lockRepository(scope, repoid, 'no key update');
    const level = requireRepositoryLevel(perm);
    const group = await keepHolder({ ...scope, access }, 'user group', usersgroupid);
    if (!group) throw userGroupNotFound(usersgroupid);
    await levelsOnRepositories['user group'].add(scope.db).execute({ id: group.id, object, level });
    return { msg: `Granted perm: \`${perm}\` for user group: \`${group.name}\` in repo: \`${name}\``, success: true };
  }, 'no key update');
