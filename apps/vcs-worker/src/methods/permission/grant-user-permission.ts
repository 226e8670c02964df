import { repositoryLevelOf, requireRepositoryLevel } from '../../authz/require-level.ts';
import { userNotFound } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const grantUserPermission: MethodHandler<'grant_user_permission'> = async (
  { repoid, userid, perm },
  { actOnRepository },
) =>
  actOnRepository(
    { kind: 'set_user_level', repository: repoid, target: userid, level: repositoryLevelOf(perm) },
    ({ repository, target }) => {
      if (!target) throw userNotFound(userid);
      requireRepositoryLevel(perm);
      const msg = `Granted perm: \`${perm}\` for user: \`${target.name}\` in repo: \`${repository.name}\``;
      return { msg, success: true };
    },
  );
