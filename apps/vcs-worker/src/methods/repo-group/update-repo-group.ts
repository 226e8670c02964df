import {
  ForbiddenError,
  lastSegment,
  OperationFailedError,
  repositoryNameProblem,
  type EntityRef,
} from '@trunkline/contracts';
import { findWritableGroup, requireRepoGroupLevel, requireWritableGroup } from '../../authz/repo-group-level.ts';
import { crashPoint } from '../../crash-points.ts';
import { repoGroupNotFound } from '../../domain/groups/repo-group-store.ts';
import { beginMove, changeRepoGroup, lockTree, renameTree } from '../../domain/groups/repo-group-change-store.ts';
import { findRepoGroup, repositoryNamesByGroup, toRepoGroupRecord } from '../../domain/groups/repo-group-read-store.ts';
import { requireOwner } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';
import type { WriteScope } from '../../write-scope.ts';

/** Returns the group to move into; null for the top level. */
async function requireNewParent({ db, access }: WriteScope, ref: EntityRef) {
  if (ref.sent !== '') return findWritableGroup(db, ref, access.user);
  if (!access.user.admin) throw new ForbiddenError('Access was denied to this resource.');
  return null;
}

/** Renames or moves the group as the call asks; returns the new parent's id if the call names a parent. */
async function moveOrRename(
  scope: WriteScope,
  args: { repogroupid: EntityRef; group_name: string | null; parent: EntityRef | null },
  id: number,
  failure: (cause?: unknown) => OperationFailedError,
): Promise<{ parentId?: number | null }> {
  if (!args.group_name && !args.parent) return {};
  // A caller who may not move the group locks no row.
  const target = args.parent && (await requireNewParent(scope, args.parent));
  await beginMove(scope.db);
  const group = await lockTree(scope.db, id, target?.id ?? null);
  if (!group) throw repoGroupNotFound(args.repogroupid);
  // Name and rights may be others after a wait.
  const parent =
    args.parent &&
    target &&
    (await requireWritableGroup(scope.db, { ...args.parent, id: target.id }, scope.access.user));
  const current = lastSegment(group.name);
  const last = args.group_name || current;
  const above = parent ? `${parent.name}/` : '';
  const name = `${args.parent ? above : group.name.slice(0, -current.length)}${last}`;
  const intoItself = above.startsWith(`${group.name}/`);
  if (intoItself || last.includes('/') || repositoryNameProblem(name)) throw failure();
  await renameTree(scope.db, group.name, name, failure);
  crashPoint('rename-group.renamed');
  return args.parent ? { parentId: parent?.id ?? null } : {};
}

export const updateRepoGroup: MethodHandler<'update_repo_group'> = async (args, { transact }) => {
  const failure = (cause?: unknown) =>
    new OperationFailedError(`failed to update repo group \`${args.repogroupid.sent}\``, { cause });

  return transact(async (scope) => {
    const { db, access } = scope;
    const { id } = await requireRepoGroupLevel(db, access, args.repogroupid, 'admin');
    if (args.owner && !access.user.admin) throw new ForbiddenError('Only admin can specify `owner` param');
    const owner = args.owner && (await requireOwner(db, args.owner));
    await changeRepoGroup(db, id, {
      ...(await moveOrRename(scope, args, id, failure)),
      ownerId: owner?.id,
      description: args.description ?? undefined,
      enableLocking: args.enable_locking ?? undefined,
    });

    const row = await findRepoGroup(db, id);
    if (!row) throw repoGroupNotFound(args.repogroupid);
    const names = await repositoryNamesByGroup(db, access.user.id, [id, id]);
    return { msg: `updated repository group ID:${id} ${row.name}`, repo_group: toRepoGroupRecord(row, names.get(id)) };
  });
};
