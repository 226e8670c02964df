import {
  BusyError,
  ForbiddenError,
  OperationFailedError,
  repositoryNameProblem,
  type ArgsOfMethod,
  type Methods,
} from '@trunkline/contracts';
import type { Db, Transaction } from '@trunkline/db';
import type { Access } from '../../authz/authorize.ts';
import {
  creationFailureText,
  creationRefusal,
  withDiskFailure,
  withRemoteFailure,
} from '../../domain/repo/failure-texts.ts';
import { parseCloneUri } from '../../domain/repo/parse-clone-uri.ts';
import { repositoryNameTakenError, reserveName } from '../../domain/repo/name-store.ts';
import { defaultLevel, enterGroups, requireNameAvailable } from '../../domain/groups/repo-group-store.ts';
import { chooseStorage, readStorages, type StorageRow } from '../../storage/choose-storage.ts';
import { StorageFullError } from '../../storage/storage-errors.ts';
import { requireOwner } from '../../domain/user/user-store.ts';
import type { Remote } from '../../vcs/remote/parse-remote.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { OperationContext } from '../context.ts';

type Args = ArgsOfMethod<Methods['create_repo']>;

type Owner = Pick<Access['user'], 'id' | 'username'>;

/** Checks owner and name of the new repository; returns the owner. */
async function requireOwnerAndName(db: Db, { user }: Access, args: Args): Promise<Owner> {
  if (args.owner && !user.admin) throw new ForbiddenError('Only admin can specify `owner` param');
  if (args.storage && !user.admin) throw new ForbiddenError('Only admin can specify `storage` param');
  const owner = args.owner ? await requireOwner(db, args.owner) : user;
  const problem = repositoryNameProblem(args.repo_name);
  if (problem) throw creationRefusal(args.repo_name)(problem);
  return owner;
}

/**
 * Checks owner and name of the new repository, and reads what it needs, in one round trip: its groups, null when one of
 * them is missing, all storages, and the level of the user `default`.
 */
export async function readForCreation(tx: Transaction, access: Access, args: Args) {
  const name = args.repo_name;
  const reads = [
    requireOwnerAndName(tx, access, args),
    repositoryNameProblem(name) === undefined ? enterGroups(tx, name, access.user) : Promise.resolve(null),
    readStorages(tx),
    defaultLevel(tx, 'repository'),
  ] as const;
  // Statements behind one that failed fail, too: the first error in this order is the one to tell.
  await Promise.allSettled(reads);
  const [owner, groups, storages, level] = await Promise.all(reads);
  return { owner, groups, storages, level };
}

/** Returns the repository's type and its remote, which is null without `clone_uri`. */
function requireSource(args: Args, options: { sshEnabled: boolean }): { type: 'hg' | 'git'; remote: Remote | null } {
  const refuse = creationRefusal(args.repo_name);
  const type = args.repo_type;
  if (type !== 'hg' && type !== 'git') throw refuse('unknown repo_type');
  return { type, remote: args.clone_uri ? parseCloneUri(type, args.clone_uri, options, refuse) : null };
}

/** Chooses the storage of the new repository; throws the client's error when none takes it. */
async function requireStorage(
  db: Db,
  args: Args,
  { storages, askedStorage }: Pick<OperationContext, 'storages' | 'askedStorage'>,
  rows?: readonly StorageRow[],
): Promise<string> {
  try {
    return await chooseStorage(db, storages, { named: args.storage || null, asked: askedStorage, rows });
  } catch (error) {
    if (!(error instanceof StorageFullError)) throw error;
    throw new OperationFailedError(withDiskFailure(creationFailureText(args.repo_name), error), { cause: error });
  }
}

/** Counts a creation that fails because all storages are full. */
function countFull(args: Args, { countFailure }: Pick<OperationContext, 'countFailure'>, error: unknown): void {
  const cause = error instanceof OperationFailedError ? error.cause : null;
  if (cause instanceof StorageFullError) countFailure(args.clone_uri ? 'import' : 'create', cause);
}

/**
 * Returns type, remote and storage of the new repository, which is about to get its name. That the name is taken is the
 * first error to be told.
 */
export async function requireSourceAndStorage(
  tx: Transaction,
  args: Args,
  context: Pick<OperationContext, 'storages' | 'askedStorage' | 'countFailure' | 'sshEnabled'>,
  rows: readonly StorageRow[],
): Promise<ReturnType<typeof requireSource> & { storageId: string }> {
  try {
    return { ...requireSource(args, context), storageId: await requireStorage(tx, args, context, rows) };
  } catch (error) {
    if (!(await reserveName(tx, args.repo_name, 'repository')))
      throw await repositoryNameTakenError(tx, args.repo_name);
    countFull(args, context, error);
    throw error;
  }
}

/** Contacts the remote before anything is created or locked, and after every check that needs no remote. */
export async function requireRemoteAnswers(args: Args, context: OperationContext): Promise<void> {
  if (!args.clone_uri) return;
  const access = await context.authorize();
  await requireOwnerAndName(context.db, access, args);
  await requireNameAvailable(context.db, args.repo_name, access.user, creationRefusal(args.repo_name));
  const { type, remote } = requireSource(args, context);
  await requireStorage(context.db, args, context).catch((error: unknown) => {
    countFull(args, context, error);
    throw error;
  });
  try {
    if (remote) await context.backends[type].checkRemote(remote, context.signal);
  } catch (error) {
    if (!(error instanceof VcsError)) throw error;
    // Nothing has begun, so another worker may run the call.
    if (error.kind === 'cancelled' || error.kind === 'busy') throw new BusyError({ cause: error });
    throw new OperationFailedError(withRemoteFailure(creationFailureText(args.repo_name), error), { cause: error });
  }
}
