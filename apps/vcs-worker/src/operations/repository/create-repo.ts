import { randomUUID } from 'node:crypto';
import { ForbiddenError, OperationFailedError } from '@trunkline/contracts';
import { toStoredCloneUri } from '../../repo/clone-uri.ts';
import { nameTaken, takeName } from '../../repo/name-store.ts';
import { ensureGroups } from '../../repo/repo-group-store.ts';
import { toRepositoryRecord } from '../../repo/repository-record.ts';
import { lastSegment, repositoryNameProblem } from '../../repo/repository-name.ts';
import { findRepository, insertCreating } from '../../repo/repository-store.ts';
import { storagePathOf } from '../../storage/storage.ts';
import { requireOwner } from '../../user/user-store.ts';
import { checkCloneUri } from '../../repo/check-clone-uri.ts';
import type { Handler } from '../context.ts';

export const createRepo: Handler<'create_repo'> = async (args, { db, journal, storage, vault, sshEnabled }) => {
  const name = args.repo_name;
  const refuse = (reason: string) => new OperationFailedError(`failed to create repository \`${name}\`: ${reason}`);

  const { id, user } = await journal(async ({ db: tx, access, operationId, begin }) => {
    if (args.owner && !access.user.admin) throw new ForbiddenError('Only admin can specify `owner` param');
    const owner = args.owner ? await requireOwner(tx, args.owner) : access.user;
    const problem = repositoryNameProblem(name);
    if (problem) throw refuse(problem);
    const groups = await ensureGroups(tx, name, access.user, refuse);
    if (!(await takeName(tx, name, 'repository'))) throw await nameTaken(tx, name);

    if (args.repo_type !== 'hg' && args.repo_type !== 'git') throw refuse('unknown repo_type');
    const cloneUri = args.clone_uri === '' ? null : args.clone_uri;
    if (cloneUri !== null) checkCloneUri(args.repo_type, cloneUri, { sshEnabled }, refuse);

    const uuid = randomUUID();
    const repositoryId = await insertCreating(tx, {
      uuid,
      name,
      groupId: groups.groupId,
      type: args.repo_type,
      storageId: storage.id,
      storagePath: storagePathOf(uuid),
      private: args.private,
      description: args.description || lastSegment(name),
      ownerId: owner.id,
      ...toStoredCloneUri(cloneUri, vault),
      landingRev: args.landing_rev,
      enableDownloads: args.enable_downloads,
      enableLocking: args.enable_locking,
      enableStatistics: args.enable_statistics,
    });
    await begin({
      id: operationId,
      kind: cloneUri === null ? 'create' : 'import',
      repositoryId,
      request: { name, createdGroupIds: groups.createdIds },
      busyText: `failed to create repository \`${name}\``,
    });
    return { id: repositoryId, user: access.user };
  });

  const row = await findRepository(db, id, user.id);
  if (!row) throw new OperationFailedError(`failed to create repository \`${name}\``);
  return {
    msg: `Created new repository \`${name}\``,
    repo: toRepositoryRecord(row, { admin: user.admin, vault }),
    task: null,
  };
};
