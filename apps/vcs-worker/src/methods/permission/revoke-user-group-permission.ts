import { userGroupNotFound } from '../../user-group/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const revokeUserGroupPermission: MethodHandler<'revoke_user_group_permission'> = async (
  { repoid, usersgroupid },
  { actOnRepository },
) =>
  actOnRepository(
    { kind: 'remove_user_group_level', repository: repoid, target: usersgroupid },
    ({ repository, target }) => {
      if (!target) throw userGroupNotFound(usersgroupid);
      return { msg: `Revoked perm for user group: \`${target.name}\` in repo: \`${repository.name}\``, success: true };
    },
  );
