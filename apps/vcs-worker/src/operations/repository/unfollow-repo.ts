import { requireRepository } from '../../authz/require-repository.ts';
import { removeFollower } from '../../repo/follower-store.ts';
import { requireEditable, requireSubject } from '../../user/require-subject.ts';
import type { Handler } from '../context.ts';

export const unfollowRepo: Handler<'unfollow_repo'> = async ({ repoid, userid }, { transact }) =>
  transact(async ({ db, access }) => {
    const { id, name } = requireRepository(access, repoid);
    const user = requireEditable(await requireSubject(db, access, userid));
    const success = await removeFollower(db, user.id, id);
    return { success, msg: `user \`${user.username}\` does not follow repo \`${name}\`` };
  });
