import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';
import { changeLevels } from './change-levels.ts';

export const revokeUserPermissionFromRepoGroup: MethodHandler<'revoke_user_permission_from_repo_group'> = async (
  { repogroupid: group, userid: target, apply_to_children: below },
  context,
) => {
  const change = { group, holder: 'user', target, below, level: null } as const;
  const changed = await changeLevels(context, change, (found) => {
    if (!found) throw userNotFound(target);
    return found;
  });
  const done = `Revoked perm (recursive:${below})`;
  const msg = `${done} for user: \`${changed.target.name}\` in repo group: \`${changed.group.name}\``;
  return { msg, success: true };
};
