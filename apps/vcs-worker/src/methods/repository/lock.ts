import { type ArgsOfMethod, type EntityRef, type Methods, toTimestamp } from '@trunkline/contracts';
import { refToTarget, requireSelf, requireTargetUser } from '../../domain/user/target-user.ts';
import { type LockedRepository, lockRepository } from '../../domain/repo/lock-repository.ts';
import { findLock, listLocked, lockFor, unlock } from '../../domain/repo/repository-lock-store.ts';
import { keepPrincipal } from '../../domain/user/principal.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';
import type { WriteScope } from '../../write-scope.ts';
import { readList } from '../read-list.ts';
import { toRepositoryWithChangesetRecord } from '../../domain/repo/repository-record.ts';

type Args = ArgsOfMethod<Methods['lock']>;

/** Tells who has the lock, to whoever may name the user of the call. */
async function showLock({ db }: WriteScope, { id, name, access }: LockedRepository, userid: EntityRef | null) {
  await requireTargetUser(db, access, userid);
  const held = await findLock(db, id);
  const msg = held
    ? `Repo \`${name}\` locked by \`${held.username}\` on \`"${toTimestamp(held.since)}"\`.`
    : `Repo \`${name}\` not locked.`;
  const since = held && held.since.getTime() / 1000;
  return { repo: name, locked: held !== null, locked_since: since, locked_by: held && held.username, msg };
}

/** Gives the lock to the user whom the call names, or takes it from whoever has it. */
async function setLock(scope: WriteScope, { id, access }: LockedRepository, { userid, locked }: Args) {
  if (!locked) {
    const { username } = await requireTargetUser(scope.db, access, userid);
    await unlock(scope.db, id);
    return { username, since: null };
  }
  const ref = refToTarget(access, userid);
  const user = await keepPrincipal({ ...scope, access }, 'user', ref, requireSelf);
  if (!user) throw userNotFound(ref);
  return { username: user.name, since: await lockFor(scope.db, id, user.id) };
}

export const lock: MethodHandler<'lock'> = async (args, { transact }) => {
  const { repoid, locked } = args;
  // The name that is shown is the repository's until the answer.
  const strength = locked === null ? 'key share' : 'no key update';
  return transact(async (scope) => {
    const repository = await lockRepository(scope, repoid, strength);
    if (locked === null) return showLock(scope, repository, args.userid);
    const { username, since } = await setLock(scope, repository, args);
    return {
      repo: repository.name,
      locked,
      locked_since: since && since.getTime() / 1000,
      locked_by: username,
      msg: `User \`${username}\` set lock state for repo \`${repository.name}\` to \`${locked ? 'True' : 'False'}\``,
    };
  }, strength);
};

export const getLocks: MethodHandler<'get_locks'> = async ({ userid, ...page }, context) =>
  readList(context, page, {
    async read(tx, access, part) {
      const ofAllUsers = userid === null && access.user.admin;
      const holder = ofAllUsers ? null : await requireTargetUser(tx, access, userid);
      return listLocked(tx, access.user.id, holder && holder.id, part);
    },
    keyOf: ({ repository }) => repository.id,
    toEntry: ({ repository, lockedBy, lockedAt }, { user }) => ({
      ...toRepositoryWithChangesetRecord(repository, { admin: user.admin, vault: context.vault }),
      locked_by: lockedBy,
      locked_date: lockedAt.getTime() / 1000,
    }),
  });
