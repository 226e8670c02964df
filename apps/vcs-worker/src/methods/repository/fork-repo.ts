import { randomUUID } from 'node:crypto';
import { ForbiddenError, lastSegment, reaches, repositoryNameProblem } from '@trunkline/contracts';
import { requireRepository } from '../../authz/require-repository.ts';
import { forkFailureText, forkRefusal } from '../../domain/repo/failure-texts.ts';
import { beginFork } from '../../domain/repo/begin-arrival.ts';
import { copyPermissions } from '../../domain/repo/permission-store.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { repositoryNameTakenError } from '../../domain/repo/name-store.ts';
import { forkResult } from '../../domain/repo/operation-results.ts';
import { defaultLevel, ensureGroups, lockGroups, requireNameAvailable } from '../../domain/groups/repo-group-store.ts';
import { insertRepository } from '../../domain/repo/new-repository-store.ts';
import { requireOpen, requireSpace } from '../../storage/choose-storage.ts';
import { storagePathOf } from '../../storage/storage.ts';
import { requireOwner } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const forkRepo: MethodHandler<'fork_repo'> = async (args, { runOperation, backgroundAfterMs, storages }) => {
  const name = args.fork_name;

  const { reserved, ended } = await runOperation({ msMax: backgroundAfterMs }, async (scope) => {
    const { db, access, operationId, begin } = scope;
    const refuse = forkRefusal(requireRepository(access, args.repoid).name, name);
    const problem = repositoryNameProblem(name);
    if (!problem) await requireNameAvailable(db, name, access.user, refuse);
    if (args.owner && !access.user.admin) throw new ForbiddenError('Only admin can specify `owner` param');
    if (args.storage && !access.user.admin) throw new ForbiddenError('Only admin can specify `storage` param');
    const owner = args.owner ? await requireOwner(db, args.owner) : access.user;
    if (problem) throw refuse(problem);
    // Locks groups, then the source, then names, in the order of all transactions.
    await lockGroups(db, name);
    const source = await lockRepository(scope, args.repoid, 'share');
    // Beside the source unless told otherwise, so that both have their unchanged files in common.
    const storageId = args.storage ? await requireOpen(db, storages, args.storage) : source.storageId;
    requireSpace(storages, storageId);
    const groups = await ensureGroups(db, name, access.user, refuse);

    const mustBePrivate = source.private && !reaches(source.level, 'admin');
    const isPrivate = mustBePrivate || (args.private ?? source.private);
    const uuid = randomUUID();
    const storagePath = storagePathOf(uuid);
    const fork = {
      uuid,
      name,
      groupId: groups.groupId,
      type: source.type,
      storageId,
      storagePath,
      private: isPrivate,
      description: args.description || lastSegment(name),
      ownerId: owner.id,
      landingRev: args.landing_rev || 'tip',
      enableDownloads: false,
      enableLocking: false,
      enableStatistics: false,
      forkOfId: source.id,
    };
    const inserted = await insertRepository(db, fork, await defaultLevel(db, 'repository'));
    if (!inserted) throw await repositoryNameTakenError(db, name);
    const repositoryId = inserted.id;
    if (args.copy_permissions) await copyPermissions(db, source.id, repositoryId, { private: isPrivate });
    await beginFork(db, begin, {
      id: operationId,
      repositoryId,
      sourceRepositoryId: source.id,
      sourceStorageId: source.storageId,
      storageId,
      storagePath,
      request: { name, source: source.name, createdGroupIds: groups.createdIds },
      busyText: forkFailureText(source.name, name),
    });
    return { operationId, source: source.name };
  });
  return forkResult(reserved.source, name, ended ? null : reserved.operationId);
};
