import { repoGroupLevelOf, requireRepoGroupLevelName } from '../../authz/require-level.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';
import { changeLevels } from './change-levels.ts';

export const grantUserPermissionToRepoGroup: MethodHandler<'grant_user_permission_to_repo_group'> = async (
  { repogroupid: group, userid: target, perm, apply_to_children: below },
  context,
) => {
  const change = { group, holder: 'user', target, below, level: repoGroupLevelOf(perm) } as const;
  const changed = await changeLevels(context, change, (found) => {
    if (!found) throw userNotFound(target);
    requireRepoGroupLevelName(perm);
    return found;
  });
  const done = `Granted perm: \`${perm}\` (recursive:${below})`;
  const msg = `${done} for user: \`${changed.target.name}\` in repo group: \`${changed.group.name}\``;
  return { msg, success: true };
};
