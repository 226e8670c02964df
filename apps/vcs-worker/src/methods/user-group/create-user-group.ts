import { OperationFailedError, userGroupNameProblem } from '@trunkline/contracts';
import { toUserGroupRecord } from '../../domain/groups/user-group-record.ts';
import { insertUserGroup, requireUserGroupNameFree } from '../../domain/groups/user-group-store.ts';
import { requireOwner } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const createUserGroup: MethodHandler<'create_user_group'> = async (
  { group_name: name, owner, active },
  { transact },
) => {
  const group = await transact(async ({ db, access }) => {
    await requireUserGroupNameFree(db, name);
    const { id: ownerId } = owner ? await requireOwner(db, owner) : access.user;
    const problem = userGroupNameProblem(name);
    if (problem) throw new OperationFailedError(`failed to create group \`${name}\`: ${problem}`);
    return insertUserGroup(db, { name, ownerId, active });
  });
  return { msg: `created new user group \`${group.name}\``, users_group: toUserGroupRecord(group) };
};
