import { repoGroupLevelOf, requireRepoGroupLevelName } from '../../authz/require-level.ts';
import { userGroupNotFound } from '../../domain/groups/user-group-store.ts';
import type { MethodHandler } from '../context.ts';
import { changeLevels } from './change-levels.ts';

export const grantUserGroupPermissionToRepoGroup: MethodHandler<'grant_user_group_permission_to_repo_group'> = async (
  { repogroupid: group, usersgroupid: target, perm, apply_to_children: below },
  context,
) => {
  const change = { group, holder: 'user group', target, below, level: repoGroupLevelOf(perm) } as const;
  const changed = await changeLevels(context, change, (found) => {
    requireRepoGroupLevelName(perm);
    if (!found) throw userGroupNotFound(target);
    return found;
  });
  const done = `Granted perm: \`${perm}\` (recursive:${below})`;
  const msg = `${done} for user group: \`${changed.target.name}\` in repo group: \`${changed.group.name}\``;
  return { msg, success: true };
};
