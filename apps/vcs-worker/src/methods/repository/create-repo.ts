import { randomUUID } from 'node:crypto';
import { toStoredCloneUri } from '../../repo/clone-uri.ts';
import { creationFailureText, creationRefusal } from '../../repo/failure-texts.ts';
import { repositoryNameTakenError, reserveName } from '../../repo/name-store.ts';
import { creationResult } from '../../repo/operation-results.ts';
import { ensureGroups, lockGroups } from '../../repo-group/repo-group-store.ts';
import { toRepositoryRecord } from '../../repo/repository-record.ts';
import { lastSegment } from '../../repo/repository-name.ts';
import { findRepository, insertCreating } from '../../repo/repository-store.ts';
import { storagePathOf } from '../../storage/storage.ts';
import type { MethodHandler } from '../context.ts';
import { requireOwnerAndName, requireRemoteAnswers, requireSource, requireStorage } from './creation-checks.ts';

export const createRepo: MethodHandler<'create_repo'> = async (args, context) => {
  const { runOperation, vault } = context;
  const name = args.repo_name;
  await requireRemoteAnswers(args, context);

  const repo = await runOperation(async ({ db: tx, access, operationId, begin }) => {
    const owner = await requireOwnerAndName(tx, access, args);
    await lockGroups(tx, name);
    const groups = await ensureGroups(tx, name, access.user, creationRefusal(name));
    if (!(await reserveName(tx, name, 'repository'))) throw await repositoryNameTakenError(tx, name);
    const { type, remote } = requireSource(args, context);

    const uuid = randomUUID();
    const repositoryId = await insertCreating(tx, {
      uuid,
      name,
      groupId: groups.groupId,
      type,
      storageId: await requireStorage(tx, args, context),
      storagePath: storagePathOf(uuid),
      private: args.private,
      description: args.description || lastSegment(name),
      ownerId: owner.id,
      ...toStoredCloneUri(args.clone_uri || null, vault),
      landingRev: args.landing_rev || 'tip',
      enableDownloads: args.enable_downloads,
      enableLocking: args.enable_locking,
      enableStatistics: args.enable_statistics,
    });
    // Read in this transaction: once the repository is visible, other calls may rename or delete it.
    const row = await findRepository(tx, repositoryId, access.user.id, 'creating');
    if (!row) throw new Error('the new repository has no row');
    // The operation's row keeps the record without the password of the remote location.
    const record = toRepositoryRecord(row, { admin: false, vault });
    await begin({
      id: operationId,
      kind: remote ? 'import' : 'create',
      repositoryId,
      request: { name, createdGroupIds: groups.createdIds, record },
      busyText: creationFailureText(name, null),
    });
    return toRepositoryRecord(row, { admin: access.user.admin, vault });
  });

  return creationResult(name, repo);
};
