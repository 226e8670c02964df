import { userNotFound } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const revokeUserPermission: MethodHandler<'revoke_user_permission'> = async (
  { repoid, userid },
  { actOnRepository },
) =>
  actOnRepository({ kind: 'remove_user_level', repository: repoid, target: userid }, ({ repository, target }) => {
    if (!target) throw userNotFound(userid);
    return { msg: `Revoked perm for user: \`${target.name}\` in repo: \`${repository.name}\``, success: true };
  });
