import { requireSelf } from '../../authz/require-self.ts';
import { lockRepository } from '../../domain/repo/lock-repository.ts';
import { keepHolder } from '../../domain/user/change-held-row.ts';
import { followings } from '../../domain/user/held-row-store.ts';
import { refToTarget, requireEditable } from '../../domain/user/require-target-user.ts';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const followRepo: MethodHandler<'follow_repo'> = async ({ repoid, userid }, { transact }) =>
  transact(async (scope) => {
    const { id: object, name, access } = await lockRepository(scope, repoid, 'key share');
    const ref = refToTarget(access, userid);
    const found = await keepHolder({ ...scope, access }, 'user', ref, requireSelf);
    if (!found) throw userNotFound(ref);
    const { id, username } = requireEditable({ id: found.id, username: found.name });
    const success = (await followings.add(scope.db).execute({ id, object })).length > 0;
    return { success, msg: `user \`${username}\` follows repo \`${name}\`` };
  }, 'key share');
