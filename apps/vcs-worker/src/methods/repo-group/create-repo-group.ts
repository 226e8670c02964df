import { groupNames, OperationFailedError, repositoryNameProblem } from '@trunkline/contracts';
import { groupNameTakenError, reserveName } from '../../domain/repo/name-store.ts';
import {
  grantDefaultLevel,
  insertRepoGroup,
  lockGroupsForRemoval,
  removeEmptyGroups,
  repoGroupNotFound,
  requireRepoGroup,
} from '../../domain/groups/repo-group-store.ts';
import { copyLevels } from '../../domain/groups/repo-group-permission-store.ts';
import { findRepoGroup, toRepoGroupRecord } from '../../domain/groups/repo-group-read-store.ts';
import { requireOwner } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';
import { requireRepoGroupLevel } from '../../authz/repo-group-level.ts';

export const createRepoGroup: MethodHandler<'create_repo_group'> = async (args, { transact }) => {
  const group = await transact(async ({ db, access }) => {
    const owner = args.owner ? await requireOwner(db, args.owner) : access.user;
    const above = args.parent && args.parent.sent !== '' ? await requireRepoGroup(db, args.parent) : null;
    const name = above ? `${above.name}/${args.group_name}` : args.group_name;
    const problem = repositoryNameProblem(name);
    if (problem) throw new OperationFailedError(`failed to create repo group \`${name}\`: ${problem}`);

    const parentName = groupNames(name).at(-1);
    const parent =
      parentName === undefined ? null : await requireRepoGroup(db, { sent: parentName, id: null, name: parentName });
    if (!(await reserveName(db, name, 'group'))) throw await groupNameTakenError(db, name);
    const { description } = args;
    const id = await insertRepoGroup(db, { name, parentId: parent?.id ?? null, description, ownerId: owner.id });
    if (parent && args.copy_permissions) await copyLevels(db, parent.id, id);
    else await grantDefaultLevel(db, id);
    const created = await findRepoGroup(db, id);
    if (!created) throw new OperationFailedError(`failed to create repo group \`${name}\``);
    return created;
  });
  return { msg: `created new repo group \`${group.name}\``, repo_group: toRepoGroupRecord(group) };
};

export const deleteRepoGroup: MethodHandler<'delete_repo_group'> = async ({ repogroupid }, { transact }) =>
  transact(async ({ db, access }) => {
    const { id } = await requireRepoGroupLevel(db, access, repogroupid, 'admin');
    const [group] = await lockGroupsForRemoval(db, [id]);
    if (!group) throw repoGroupNotFound(repogroupid);
    const removed = await removeEmptyGroups(db, [id]);
    if (removed.length === 0) throw new OperationFailedError(`failed to delete repo group ID:${id} ${group.name}`);
    return { msg: `deleted repo group ID:${id} ${group.name}`, repo_group: null };
  });
