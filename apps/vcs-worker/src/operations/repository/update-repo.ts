import { ForbiddenError, OperationFailedError, type ArgsOfOperation, type Operations } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { repositoryNotFound, type RepositoryAccess } from '../../authz/authorize.ts';
import { parseCloneUri } from '../../repo/parse-clone-uri.ts';
import { toStoredCloneUri } from '../../repo/clone-uri.ts';
import { findLock } from '../../repo/lock-store.ts';
import { requireRepoGroup, requireWrite } from '../../repo/repo-group-store.ts';
import { changeRepository, lockName, renameRepository } from '../../repo/repository-change-store.ts';
import { lastSegment, repositoryNameProblem } from '../../repo/repository-name.ts';
import { toChangesetRecord, toRepositoryRecord } from '../../repo/repository-record.ts';
import { findRepository } from '../../repo/repository-store.ts';
import { requireOwner } from '../../user/user-store.ts';
import type { Handler, WriteScope } from '../context.ts';

type Args = ArgsOfOperation<Operations['update_repo']>;

function requireMayUpdate({ user, globalPermissions }: WriteScope['access'], args: Args): void {
  if (user.admin) return;
  if (!globalPermissions.includes('hg.create.repository')) {
    throw new ForbiddenError('no permission to create (or move) repositories');
  }
  if (args.owner) throw new ForbiddenError('Only admin can specify `owner` param');
}

/** Moves or renames the repository as asked; the group it lies in, if that changed. */
async function place(
  { db, access }: WriteScope,
  args: Args,
  repository: RepositoryAccess,
  failure: () => OperationFailedError,
): Promise<{ groupId?: number | undefined }> {
  if (!args.name && !args.group) return {};
  const group = args.group && (await requireRepoGroup(db, args.group));
  if (group && !access.user.admin) await requireWrite(db, group.name, access.user.id);
  // Its group may have been renamed since the rights were read.
  const current = await lockName(db, repository.id);
  if (current === undefined) throw repositoryNotFound(args.repoid);
  const last = args.name || lastSegment(current);
  const parent = group ? `${group.name}/` : current.slice(0, -lastSegment(current).length);
  const name = `${parent}${last}`;
  if (last.includes('/') || repositoryNameProblem(name)) throw failure();
  await renameRepository(db, current, name, failure);
  return { groupId: group?.id };
}

export const updateRepo: Handler<'update_repo'> = async (args, { transact, vault, sshEnabled }) => {
  const failure = (cause?: unknown) =>
    new OperationFailedError(`failed to update repo \`${args.repoid.sent}\``, { cause });

  return transact(async (scope) => {
    const { db, access } = scope;
    const repository = requireRepository(access, args.repoid);
    requireMayUpdate(access, args);
    const owner = args.owner && (await requireOwner(db, args.owner));
    if (args.clone_uri) parseCloneUri(repository.type, args.clone_uri, { sshEnabled }, failure);
    const { groupId } = await place(scope, args, repository, failure);
    await changeRepository(db, repository.id, {
      groupId,
      ownerId: owner?.id,
      description: args.description ?? undefined,
      private: args.private ?? undefined,
      landingRev: args.landing_rev ?? undefined,
      enableDownloads: args.enable_downloads ?? undefined,
      enableLocking: args.enable_locking ?? undefined,
      enableStatistics: args.enable_statistics ?? undefined,
      ...(args.clone_uri === null ? {} : toStoredCloneUri(args.clone_uri || null, vault)),
    });

    const row = await findRepository(db, repository.id, access.user.id);
    if (!row) throw failure();
    const held = await findLock(db, row.id);
    return {
      msg: `updated repo ID:${row.id} ${row.name}`,
      repository: {
        ...toRepositoryRecord(row, { admin: access.user.admin, vault }),
        last_changeset: toChangesetRecord(row.lastChangeset),
        locked_by: held && held.username,
        locked_date: held && held.since.getTime() / 1000,
      },
    };
  });
};
