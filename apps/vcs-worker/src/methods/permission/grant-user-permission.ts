import { requireRepositoryLevel } from '../../authz/require-level.ts';
import { crashPoint } from '../../crash-points.ts';
import { lockRepository } from '../../repo/lock-repository.ts';
import { setUserLevel } from '../../repo/permission-store.ts';
import { requireUser } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const grantUserPermission: MethodHandler<'grant_user_permission'> = async (
  { repoid, userid, perm },
  { transact },
) =>
  transact(async (scope) => {
    const { db } = scope;
    const repository = await lockRepository(scope, repoid, 'no key update');
    const user = await requireUser(db, userid);
    await setUserLevel(db, user.id, repository.id, requireRepositoryLevel(perm));
    crashPoint('grant.level-set');
    const msg = `Granted perm: \`${perm}\` for user: \`${user.username}\` in repo: \`${repository.name}\``;
    return { msg, success: true };
  });
