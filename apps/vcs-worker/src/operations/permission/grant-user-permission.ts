import { requireRepositoryLevel } from '../../authz/require-level.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { setUserLevel } from '../../repo/permission-store.ts';
import { requireUser } from '../../user/user-store.ts';
import type { Handler } from '../context.ts';

export const grantUserPermission: Handler<'grant_user_permission'> = async ({ repoid, userid, perm }, { transact }) =>
  transact(async ({ db, access }) => {
    const repository = requireRepository(access, repoid);
    const user = await requireUser(db, userid);
    await setUserLevel(db, user.id, repository.id, requireRepositoryLevel(perm));
    const msg = `Granted perm: \`${perm}\` for user: \`${user.username}\` in repo: \`${repository.name}\``;
    return { msg, success: true };
  });
