import {
  ConflictError,
  ForbiddenError,
  OperationFailedError,
  reaches,
  userGroupNameProblem,
} from '@trunkline/contracts';
import {
  changeUserGroup,
  insertUserGroup,
  listPermittedResources,
  type PermittedResource,
  removeUserGroup,
  requireOwnUserGroup,
  requireUserGroup,
  requireUserGroupNameFree,
  toUserGroupRecord,
  userGroupNotFound,
} from '../../domain/groups/user-group-store.ts';
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

const shownMax = 10;

/** Returns the error text, which names up to ten of the resources, only those that the caller may read. */
function assignedText(resources: readonly PermittedResource[]): string {
  const readable = resources.filter(({ callerLevel }) => reaches(callerLevel, 'read')).map(({ name }) => name);
  const shown = readable.toSorted().slice(0, shownMax);
  const more = shown.length < resources.length ? ['...'] : [];
  return `User Group assigned to ${[...shown, ...more].join(', ')}`;
}

export const deleteUserGroup: MethodHandler<'delete_user_group'> = async ({ usersgroupid }, { transact }) =>
  transact(async ({ db, access }) => {
    const id = await requireOwnUserGroup(db, access, usersgroupid);
    const resources = await listPermittedResources(db, id, access.user.id);
    if (resources.length > 0) throw new ConflictError(assignedText(resources));
    const name = await removeUserGroup(db, id);
    if (name === undefined) throw userGroupNotFound(usersgroupid);
    return { msg: `deleted user group ID:${id} ${name}`, user_group: null };
  });
