import { toStoredCloneUri } from '@trunkline/db';
import { lastSegment } from '@trunkline/contracts';
import { randomUUID } from 'node:crypto';
import { creationRefusal } from '../../domain/repo/failure-texts.ts';
import { repositoryNameTakenError } from '../../domain/repo/name-store.ts';
import { creationResult } from '../../domain/repo/operation-results.ts';
import { ensureGroups } from '../../domain/groups/repo-group-store.ts';
import { insertRepository } from '../../domain/repo/new-repository-store.ts';
import { toRepositoryRecord } from '../../domain/repo/repository-record.ts';
import { storagePathOf } from '../../storage/storage.ts';
import type { MethodHandler } from '../context.ts';
import { readForCreation, requireRemoteAnswers, requireSourceAndStorage } from './creation-checks.ts';

export const createRepo: MethodHandler<'create_repo'> = async (args, context) => {
  const { runOperation, vault } = context;
  const name = args.repo_name;
  await requireRemoteAnswers(args, context);

  const { reserved: repo } = await runOperation({}, async ({ db: tx, access, beginCreation }) => {
    const { owner, groups: existing, storages, level } = await readForCreation(tx, access, args);
    const groups = existing ?? (await ensureGroups(tx, name, access.user, creationRefusal(name)));
    const { type, remote, storageId } = await requireSourceAndStorage(tx, args, context, storages);

    const uuid = randomUUID();
    const cloneUri = toStoredCloneUri(args.clone_uri || null, vault);
    const repository = await insertRepository(
      tx,
      {
        ...cloneUri,
        uuid,
        name,
        groupId: groups.groupId,
        type,
        storageId,
        storagePath: storagePathOf(uuid),
        private: args.private,
        description: args.description || lastSegment(name),
        ownerId: owner.id,
        landingRev: args.landing_rev || 'tip',
        enableDownloads: args.enable_downloads,
        enableLocking: args.enable_locking,
        enableStatistics: args.enable_statistics,
      },
      level,
    );
    if (!repository) throw await repositoryNameTakenError(tx, name);

    const row = { ...repository, owner: owner.username, lastChangeset: null, forkOf: null };
    await beginCreation({
      kind: remote ? 'import' : 'create',
      repository,
      request: {
        name,
        createdGroupIds: groups.createdIds,
        // The operation's row keeps the record without the password of the remote location.
        record: toRepositoryRecord(row, { admin: false, vault }),
      },
    });
    return toRepositoryRecord(row, { admin: access.user.admin, vault });
  });

  return creationResult(name, repo);
};
