import { repositoryLevelOf, requireRepositoryLevel } from '../../authz/require-level.ts';
import { userGroupNotFound } from '../../user-group/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const grantUserGroupPermission: MethodHandler<'grant_user_group_permission'> = async (
  { repoid, usersgroupid, perm },
  { actOnRepository },
) =>
  actOnRepository(
    { kind: 'set_user_group_level', repository: repoid, target: usersgroupid, level: repositoryLevelOf(perm) },
    ({ repository, target }) => {
      requireRepositoryLevel(perm);
      if (!target) throw userGroupNotFound(usersgroupid);
      const msg = `Granted perm: \`${perm}\` for user group: \`${target.name}\` in repo: \`${repository.name}\``;
      return { msg, success: true };
    },
  );
