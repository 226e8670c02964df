import { ConflictError, reaches } from '@trunkline/contracts';
import { requireOwnUserGroup } from '../../authz/user-group/require-own-user-group.ts';
import { listPermittedResources, type PermittedResource } from '../../domain/groups/permitted-resource-store.ts';
import { removeUserGroup } from '../../domain/groups/user-group-change-store.ts';
import { userGroupNotFound } from '../../domain/groups/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

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
