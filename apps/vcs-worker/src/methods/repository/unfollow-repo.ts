import { reaches } from '@trunkline/contracts';
import { repositoryNotFound } from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/repository/require-repository.ts';
import { isFollower, removeFollower } from '../../repo/follower-store.ts';
import { requireEditable, requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const unfollowRepo: MethodHandler<'unfollow_repo'> = async ({ repoid, userid }, { transact }) =>
  transact(async ({ db, access }) => {
    const { id, name, level } = requireRepository(access, repoid);
    const readable = reaches(level, 'read');
    if (!readable && !(await isFollower(db, access.user.id, id))) throw repositoryNotFound(repoid);
    const user = requireEditable(await requireTargetUser(db, access, userid));
    const success = await removeFollower(db, user.id, id);
    // A caller without the right to read must not learn the present name.
    const shown = readable ? name : repoid.sent;
    return { success, msg: `user \`${user.username}\` does not follow repo \`${shown}\`` };
  });
