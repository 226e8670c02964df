import { requireRepositoryLevel } from '../../authz/require-level.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { keepHolder } from '../../domain/user/change-held-row.ts';
import { levelsOnRepositories } from '../../domain/user/held-row-store.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const grantUserPermission: MethodHandler<'grant_user_permission'> = async (
  { repoid, userid, perm },
  { transact },
) =>
  transact(async (scope) => {
    const { id: object, name, access } = await lockRepository(scope, repoid, 'no key update');
    const user = await keepHolder({ ...scope, access }, 'user', userid);
    if (!user) throw userNotFound(userid);
    const level = requireRepositoryLevel(perm);
    await levelsOnRepositories.user.add(scope.db).execute({ id: user.id, object, level });
    return { msg: `Granted perm: \`${perm}\` for user: \`${user.name}\` in repo: \`${name}\``, success: true };
  }, 'no key update');
