import { userGroupNotFound } from '../../domain/groups/user-group-store.ts';
import type { MethodHandler } from '../context.ts';
import { changeLevels } from './change-levels.ts';

export const revokeUserGroupPermissionFromRepoGroup: MethodHandler<
  'revoke_user_group_permission_from_repo_group'
> = async ({ repogroupid: group, usersgroupid: target, apply_to_children: below }, context) => {
  const change = { group, holder: 'user group', target, below, level: null } as const;
  const changed = await changeLevels(context, change, (found) => {
    if (!found) throw userGroupNotFound(target);
    return found;
  });
  const done = `Revoked perm (recursive:${below})`;
  const msg = `${done} for user group: \`${changed.target.name}\` in repo group: \`${changed.group.name}\``;
  return { msg, success: true };
};
