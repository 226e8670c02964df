import { ConflictError, reaches } from '@trunkline/contracts';
import { requireOwnUserGroup } from '../../authz/user-group/require-own-user-group.ts';
import { listAssignments, type Assignment } from '../../user-group/assignment-store.ts';
import { removeUserGroup } from '../../user-group/user-group-change-store.ts';
import { userGroupNotFound } from '../../user-group/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

const shownMax = 10;

/** An error text with up to ten objects on which the group has a level, only those that the caller may read. */
function assigned(assignments: readonly Assignment[]): string {
  const readable = assignments.filter(({ viewerLevel }) => reaches(viewerLevel, 'read')).map(({ name }) => name);
  const shown = readable.toSorted().slice(0, shownMax);
  const more = shown.length < assignments.length ? ['...'] : [];
  return `User Group assigned to ${[...shown, ...more].join(', ')}`;
}

export const deleteUserGroup: MethodHandler<'delete_user_group'> = async ({ usersgroupid }, { transact }) =>
  transact(async ({ db, access }) => {
    const id = await requireOwnUserGroup(db, access, usersgroupid);
    const assignments = await listAssignments(db, id, access.user.id);
    if (assignments.length > 0) throw new ConflictError(assigned(assignments));
    const name = await removeUserGroup(db, id);
    if (name === undefined) throw userGroupNotFound(usersgroupid);
    return { msg: `deleted user group ID:${id} ${name}`, user_group: null };
  });
