import { OperationFailedError } from '@trunkline/contracts';
import { requireRepoGroupLevel } from '../../authz/repo-group/require-repo-group-level.ts';
import { lockGroupsForRemoval, removeEmptyGroups, repoGroupNotFound } from '../../domain/groups/repo-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const deleteRepoGroup: MethodHandler<'delete_repo_group'> = async ({ repogroupid }, { transact }) =>
  transact(async ({ db, access }) => {
    const { id } = await requireRepoGroupLevel(db, access, repogroupid, 'admin');
    const [group] = await lockGroupsForRemoval(db, [id]);
    if (!group) throw repoGroupNotFound(repogroupid);
    const removed = await removeEmptyGroups(db, [id]);
    if (removed.length === 0) throw new OperationFailedError(`failed to delete repo group ID:${id} ${group.name}`);
    return { msg: `deleted repo group ID:${id} ${group.name}`, repo_group: null };
  });
