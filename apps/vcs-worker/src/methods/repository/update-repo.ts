import {
  ForbiddenError,
  lastSegment,
  OperationFailedError,
  repositoryNameProblem,
  UnavailableError,
  type ArgsOfMethod,
  type Methods,
} from '@trunkline/contracts';
import { type SecretVault, type StoredCloneUri, toStoredCloneUri, type Transaction } from '@trunkline/db';
import { requireRepository } from '../../authz/require-repository.ts';
import { crashPoint } from '../../crash-points.ts';
import { findLock } from '../../domain/repo/repository-lock-store.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { freeName, reserveName } from '../../domain/repo/name-store.ts';
import type { NamedRepoGroup } from '../../domain/groups/repo-group-store.ts';
import { requireWritableGroup } from '../../authz/repo-group-level.ts';
import { updateFailureText } from '../../domain/repo/failure-texts.ts';
import { changeRepository } from '../../domain/repo/repository-change-store.ts';
import { parseCloneUri } from '../../domain/repo/parse-clone-uri.ts';
import { findRepository } from '../../domain/repo/repository-store.ts';
import { updateResult } from '../../domain/repo/repository-record.ts';
import { requireOwner } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';
import type { WriteScope } from '../../write-scope.ts';

type Args = ArgsOfMethod<Methods['update_repo']>;

function requireMayUpdate({ user, globalPermissions }: WriteScope['access'], args: Args): void {
  if (user.admin) return;
  if (!globalPermissions.includes('hg.create.repository')) {
    throw new ForbiddenError('no permission to create (or move) repositories');
  }
  if (args.owner) throw new ForbiddenError('Only admin can specify `owner` param');
}

/** Reserves and returns the repository's new name; undefined when the name does not change. */
async function takeNewName(
  db: Transaction,
  args: Args,
  current: string,
  group: NamedRepoGroup | null,
  failure: () => OperationFailedError,
): Promise<string | undefined> {
  const last = args.name || lastSegment(current);
  const parent = group ? `${group.name}/` : current.slice(0, -lastSegment(current).length);
  const name = `${parent}${last}`;
  if (name === current) return undefined;
  if (last.includes('/') || repositoryNameProblem(name)) throw failure();
  if (!(await reserveName(db, name, 'repository'))) throw failure();
  return name;
}

/** Returns the remote location to store. A call that sends the masked form, as records show it, changes nothing. */
async function changedCloneUri(
  { db, access }: WriteScope,
  id: number,
  cloneUri: string | null,
  vault: SecretVault,
): Promise<Partial<StoredCloneUri>> {
  if (cloneUri === null) return {};
  const shown = (await findRepository(db, id, access.user.id))?.cloneUri;
  return cloneUri === shown ? {} : toStoredCloneUri(cloneUri || null, vault);
}

export const updateRepo: MethodHandler<'update_repo'> = async (args, { transact, vault, sshEnabled }) => {
  const failure = (cause?: unknown) => new OperationFailedError(updateFailureText(args.repoid.sent), { cause });

  // The view `set_default_branch` does that; gateways of earlier releases do not know it.
  if (args.default_branch !== null) throw new UnavailableError();
  // Groups are locked before repositories, in the order of all transactions.
  return transact(
    async (scope) => {
      const { db } = scope;
      // A caller who may not change the repository locks no row.
      const { type } = requireRepository(scope.access, args.repoid);
      requireMayUpdate(scope.access, args);
      const owner = args.owner && (await requireOwner(db, args.owner));
      if (args.clone_uri) parseCloneUri(type, args.clone_uri, { sshEnabled }, failure);
      const group = args.group && (await requireWritableGroup(db, args.group, scope.access.user));
      const repository = await lockRepository(scope, args.repoid, 'update');
      const { access } = repository;
      if (access !== scope.access) {
        // Rights may be gone after a wait.
        requireMayUpdate(access, args);
        if (args.group && group) {
          await requireWritableGroup(db, { ...args.group, id: group.id, name: null }, access.user);
        }
      }
      const name = await takeNewName(db, args, repository.name, group, failure);
      if (name !== undefined) crashPoint('rename.name-taken');
      await changeRepository(db, repository.id, {
        groupId: group?.id,
        name,
        ownerId: owner?.id,
        description: args.description ?? undefined,
        private: args.private ?? undefined,
        landingRev: args.landing_rev ?? undefined,
        enableDownloads: args.enable_downloads ?? undefined,
        enableLocking: args.enable_locking ?? undefined,
        enableStatistics: args.enable_statistics ?? undefined,
        ...(await changedCloneUri(scope, repository.id, args.clone_uri, vault)),
      });
      if (name !== undefined) {
        crashPoint('rename.changed');
        await freeName(db, repository.name);
      }

      const [row, held] = await Promise.all([
        findRepository(db, repository.id, access.user.id),
        findLock(db, repository.id),
      ]);
      if (!row) throw failure();
      return updateResult(row, held, { admin: access.user.admin, vault });
    },
    args.group ? null : 'update',
  );
};
