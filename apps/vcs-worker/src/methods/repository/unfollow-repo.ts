import { reaches, type EntityRef } from '@trunkline/contracts';
import { repositoryNotFound, type Access } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { requireSelf } from '../../authz/require-self.ts';
import { removeHeldRow } from '../../domain/user/change-held-row.ts';
import { followings, isHeld } from '../../domain/user/held-row-store.ts';
import { refToTarget, requireEditable } from '../../domain/user/require-target-user.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

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
    const { holder, changed: success } = await removeHeldRow(scope, followings, { holder: ref, object, allow });
    if (!holder) throw userNotFound(ref);
    const { username } = requireEditable({ id: holder.id, username: holder.name });
    // A caller without the right to read must not learn the present name.
    const shown = readable ? name : repoid.sent;
    return { success, msg: `user \`${username}\` does not follow repo \`${shown}\`` };
  });
