import { randomUUID } from 'node:crypto';
import { ConflictError, OperationFailedError, repositoryNameProblem, RpcError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import { adoptionFailureText, deletionFailureText } from '../../domain/repo/failure-texts.ts';
import { repositoryNameTakenError } from '../../domain/repo/name-store.ts';
import { defaultLevel, ensureGroups, lockGroups } from '../../domain/groups/repo-group-store.ts';
import { insertRepository } from '../../domain/repo/new-repository-store.ts';
import { isStored, lockReady, type StoredAt } from '../../domain/repo/storage-path-store.ts';
import type { FoundRepository } from '../../storage/scan-directories.ts';
import type { Storage } from '../../storage/storage.ts';
import { requireFirstAdmin } from '../../domain/user/user-store.ts';
import type { OperationContext } from '../context.ts';
import { markDeleting } from '../../domain/repo/deletion-store.ts';

/** Returns whether an error concerns more than one repository and so ends the rescan. */
export function stopsRescan(error: unknown): boolean {
  if (error instanceof OperationFailedError || error instanceof ConflictError) return false;
  return error instanceof RpcError || databaseFailure(error) !== undefined;
}

/** Returns the reason why a repository was skipped, for the log. */
export function reasonOf(error: unknown): string {
  return String(error instanceof OperationFailedError && error.cause instanceof Error ? error.cause : error);
}

const descriptionCharsMax = 10_000;

/** Cuts a description to the limit, without NUL and without half a surrogate pair at its end. */
function storable(description: string): string {
  return description
    .replaceAll('\0', '')
    .slice(0, descriptionCharsMax)
    .replace(/\p{Surrogate}$/u, '');
}

/** Registers a repository at its path and runs the adoption. */
async function adopt(
  { runOperation, backends }: OperationContext,
  storage: Storage,
  { type, storagePath }: FoundRepository,
  name: string,
): Promise<void> {
  const refuse = (reason: string) => new OperationFailedError(`${adoptionFailureText(name)}: ${reason}`);
  const problem = repositoryNameProblem(name);
  if (problem) throw refuse(problem);
  const { description } = await backends[type].inspect(await storage.plainPath(storagePath));
  await runOperation({}, async ({ db: tx, access, begin }) => {
    const owner = await requireFirstAdmin(tx);
    await lockGroups(tx, name);
    const groups = await ensureGroups(tx, name, access.user, refuse);
    const adopted = {
      uuid: randomUUID(),
      name,
      groupId: groups.groupId,
      type,
      storageId: storage.id,
      storagePath,
      private: false,
      description: storable(description ?? '') || `${name} repository`,
      ownerId: owner.id,
      landingRev: 'tip',
      enableDownloads: false,
      enableLocking: false,
      enableStatistics: false,
    };
    const repository = await insertRepository(tx, adopted, await defaultLevel(tx, 'repository'));
    if (!repository) throw await repositoryNameTakenError(tx, name);
    await begin({
      id: randomUUID(),
      kind: 'adopt',
      repositoryId: repository.id,
      request: { name, createdGroupIds: groups.createdIds },
      busyText: adoptionFailureText(name),
    });
  });
}

/** Adopts a repository and returns its name; undefined when it was skipped, with the reason in the log. */
export async function adoptRepository(
  context: OperationContext,
  storage: Storage,
  found: FoundRepository,
): Promise<string | undefined> {
  const name = found.directory.replace(/\.git$/, '');
  try {
    await adopt(context, storage, found, name);
    return name;
  } catch (error) {
    if (stopsRescan(error)) throw error;
    // Another rescan may have adopted the repository first.
    if (await isStored(context.db, storage.id, found.storagePath)) return undefined;
    context.logger.warn({ path: found.directory, reason: reasonOf(error) }, 'repository not adopted');
    return undefined;
  }
}

/** Removes a repository whose directory is missing; returns whether it was removed. */
export async function removeObsolete(
  { runOperation, logger }: OperationContext,
  storage: Storage,
  obsolete: StoredAt,
): Promise<boolean> {
  const { id, name, storagePath } = obsolete;
  try {
    // The undo of a deletion may have restored the directory; the operation checks that once more.
    if (await storage.exists(storagePath)) return false;
    const { reserved: isBegun } = await runOperation({}, async ({ db: tx, begin }) => {
      if (!(await lockReady(tx, storage.id, obsolete))) return false;
      await begin({
        id: randomUUID(),
        kind: 'delete',
        repositoryId: id,
        request: { name, obsolete: true },
        busyText: deletionFailureText(name),
      });
      await markDeleting(tx, [id]);
      return true;
    });
    return isBegun;
  } catch (error) {
    if (stopsRescan(error)) throw error;
    logger.warn({ repository: name, reason: reasonOf(error) }, 'obsolete repository not removed');
    return false;
  }
}
