import { addFollower } from '../../repo/follower-store.ts';
import { lockRepository } from '../../repo/lock-repository.ts';
import { requireEditable, requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const followRepo: MethodHandler<'follow_repo'> = async ({ repoid, userid }, { transact }) =>
  transact(async (scope) => {
    const { db, access } = scope;
    const { id, name } = await lockRepository(scope, repoid, 'key share');
    const user = requireEditable(await requireTargetUser(db, access, userid));
    const success = await addFollower(db, user.id, id);
    return { success, msg: `user \`${user.username}\` follows repo \`${name}\`` };
  });
