import { ForbiddenError, OperationFailedError, userGroupNameProblem } from '@trunkline/contracts';
import { requireOwnUserGroup } from '../../authz/user-group/require-own-user-group.ts';
import { changeUserGroup } from '../../domain/groups/user-group-change-store.ts';
import { toUserGroupRecord } from '../../domain/groups/user-group-record.ts';
import { requireUserGroup } from '../../domain/groups/user-group-store.ts';
import { requireOwner } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const updateUserGroup: MethodHandler<'update_user_group'> = async (args, { transact }) => {
  const ref = args.usersgroupid;
  const failure = (cause?: unknown) =>
    new OperationFailedError(`failed to update user group \`${ref.sent}\``, { cause });

  const group = await transact(async ({ db, access }) => {
    const id = await requireOwnUserGroup(db, access, ref);
    if (args.owner && !access.user.admin) throw new ForbiddenError('Only admin can specify `owner` param');
    const owner = args.owner && (await requireOwner(db, args.owner));
    if (args.group_name !== null && userGroupNameProblem(args.group_name)) throw failure();
    const change = {
      name: args.group_name ?? undefined,
      description: args.description ?? undefined,
      ownerId: owner?.id,
      active: args.active ?? undefined,
    };
    await changeUserGroup(db, id, change, failure);
    return requireUserGroup(db, { ...ref, id });
  });
  return { msg: `updated user group ID:${group.id} ${group.name}`, user_group: toUserGroupRecord(group) };
};
