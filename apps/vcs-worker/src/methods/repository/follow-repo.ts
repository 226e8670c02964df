import { type EntityRef, reaches } from '@trunkline/contracts';
import { refToTarget, requireEditable, requireSelf } from '../../domain/user/target-user.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { keepPrincipal } from '../../domain/user/principal.ts';
import { followings, isHeld, removeHeldRow } from '../../domain/user/held-row-store.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';
import { type Access, repositoryNotFound } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';

export const followRepo: MethodHandler<'follow_repo'> = async ({ repoid, userid }, { transact }) =>
  transact(async (scope) => {
    const { id: object, name, access } = await lockRepository(scope, repoid, 'key share');
    const ref = refToTarget(access, userid);
    const found = await keepPrincipal({ ...scope, access }, 'user', ref, requireSelf);
    if (!found) throw userNotFound(ref);
    const { id, username } = requireEditable({ id: found.id, username: found.name });
    const success = (await followings.add(scope.db).execute({ id, object })).length > 0;
    return { success, msg: `user \`${username}\` follows repo \`${name}\`` };
  }, 'key share');

export const unfollowRepo: MethodHandler<'unfollow_repo'> = async ({ repoid, userid }, { transact }) =>
  // What it removes depends on nothing that a lock on the repository protects.
  transact(async (scope) => {
    const { db, access } = scope;
    const { id: object, name, level } = requireRepository(access, repoid);
    const readable = reaches(level, 'read');
    const allow = async (now: Access, ref: EntityRef) => {
      const repository = requireRepository(now, repoid);
      const mayRead = reaches(repository.level, 'read');
      if (!mayRead && !(await isHeld(db, followings, now.user.id, object))) throw repositoryNotFound(repoid);
      requireSelf(now, ref);
    };
    const ref = refToTarget(access, userid);
    const { principal, changed: success } = await removeHeldRow(scope, followings, { principal: ref, object, allow });
    if (!principal) throw userNotFound(ref);
    const { username } = requireEditable({ id: principal.id, username: principal.name });
    // A caller without the right to read must not learn the present name.
    const shown = readable ? name : repoid.sent;
    return { success, msg: `user \`${username}\` does not follow repo \`${shown}\`` };
  });
