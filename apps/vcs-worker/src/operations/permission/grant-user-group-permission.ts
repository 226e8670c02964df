import { requireRepositoryLevel } from '../../authz/require-level.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import { setUserGroupLevel } from '../../repo/permission-store.ts';
import { requireUserGroup } from '../../user-group/user-group-store.ts';
import type { Handler } from '../context.ts';

export const grantUserGroupPermission: Handler<'grant_user_group_permission'> = async (
  { repoid, usersgroupid, perm },
  { transact },
) =>
  transact(async ({ db, access }) => {
    const repository = requireRepository(access, repoid);
    const level = requireRepositoryLevel(perm);
    const group = await requireUserGroup(db, usersgroupid);
    await setUserGroupLevel(db, group.id, repository.id, level);
    const msg = `Granted perm: \`${perm}\` for user group: \`${group.name}\` in repo: \`${repository.name}\``;
    return { msg, success: true };
  });
