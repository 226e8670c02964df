import { BusyError, ForbiddenError, OperationFailedError, type ArgsOfMethod, type Methods } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { Access } from '../../authz/authorize.ts';
import { creationFailureText, creationRefusal } from '../../repo/failure-texts.ts';
import { parseCloneUri } from '../../repo/parse-clone-uri.ts';
import { requireNameAvailable } from '../../repo-group/repo-group-store.ts';
import { repositoryNameProblem } from '../../repo/repository-name.ts';
import { chooseStorage } from '../../storage/choose-storage.ts';
import { StorageFullError } from '../../storage/storage-full-error.ts';
import { requireOwner } from '../../user/user-store.ts';
import type { Remote } from '../../vcs/remote/remote.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { OperationContext } from '../context.ts';

type Args = ArgsOfMethod<Methods['create_repo']>;

/** Checks owner and name of the new repository; returns the owner. */
export async function requireOwnerAndName(db: Db, { user }: Access, args: Args): Promise<{ id: number }> {
  if (args.owner && !user.admin) throw new ForbiddenError('Only admin can specify `owner` param');
  if (args.storage && !user.admin) throw new ForbiddenError('Only admin can specify `storage` param');
  const owner = args.owner ? await requireOwner(db, args.owner) : user;
  const problem = repositoryNameProblem(args.repo_name);
  if (problem) throw creationRefusal(args.repo_name)(problem);
  return owner;
}

/** Returns the repository's type and its remote, which is null without `clone_uri`. */
export function requireSource(
  args: Args,
  options: { sshEnabled: boolean },
): { type: 'hg' | 'git'; remote: Remote | null } {
  const refuse = creationRefusal(args.repo_name);
  const type = args.repo_type;
  if (type !== 'hg' && type !== 'git') throw refuse('unknown repo_type');
  return { type, remote: args.clone_uri ? parseCloneUri(type, args.clone_uri, options, refuse) : null };
}

/** Chooses the storage of the new repository; throws the client's error when none takes it. */
export async function requireStorage(
  db: Db,
  args: Args,
  { storages, askedStorage, noteFailure }: OperationContext,
): Promise<string> {
  try {
    return await chooseStorage(db, storages, { named: args.storage || null, asked: askedStorage });
  } catch (error) {
    if (!(error instanceof StorageFullError)) throw error;
    noteFailure(args.clone_uri ? 'import' : 'create', error);
    throw new OperationFailedError(creationFailureText(args.repo_name, null), { cause: error });
  }
}

/** Contacts the remote before anything is created or locked, and after every check that needs no remote. */
export async function requireRemoteAnswers(args: Args, context: OperationContext): Promise<void> {
  if (!args.clone_uri) return;
  const access = await context.authorize();
  await requireOwnerAndName(context.db, access, args);
  await requireNameAvailable(context.db, args.repo_name, access.user, creationRefusal(args.repo_name));
  const { type, remote } = requireSource(args, context);
  await requireStorage(context.db, args, context);
  try {
    if (remote) await context.backends[type].checkRemote(remote, context.signal);
  } catch (error) {
    if (!(error instanceof VcsError)) throw error;
    // Nothing has begun, so another worker may run the call.
    if (error.kind === 'cancelled') throw new BusyError({ cause: error });
    throw new OperationFailedError(creationFailureText(args.repo_name, error), { cause: error });
  }
}
