import { OperationFailedError, usernameProblem } from '@trunkline/contracts';
import { hashPassword } from '@trunkline/runtime';
import { requireEditable } from '../../domain/user/require-target-user.ts';
import { endSessions } from '../../domain/user/session-store.ts';
import { changeUser, otherAdminRemains } from '../../domain/user/user-change-store.ts';
import { toUserRecordWithKey } from '../../domain/user/user-record.ts';
import { findUserById, requireUser } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const updateUser: MethodHandler<'update_user'> = async (
  args,
  { authorize, transact, vault, announceCallersChanged },
) => {
  await authorize();
  const passwordHash = args.password ? await hashPassword(args.password) : undefined;
  const failure = (cause?: unknown) =>
    new OperationFailedError(`failed to update user \`${args.userid.sent}\``, { cause });

  const user = await transact(async ({ db }) => {
    const { id } = requireEditable(await requireUser(db, args.userid));
    if (args.username !== null && usernameProblem(args.username)) throw failure();
    const steppingDown = args.admin === false || args.active === false;
    if (steppingDown && !(await otherAdminRemains(db, id))) throw failure();
    const change = {
      username: args.username ?? undefined,
      passwordHash,
      firstname: args.firstname ?? undefined,
      lastname: args.lastname ?? undefined,
      active: args.active ?? undefined,
      admin: args.admin ?? undefined,
      ldapDn: args.ldap_dn ?? undefined,
    };
    await changeUser(db, id, change, args.email, failure);
    if (passwordHash !== undefined || args.active === false) await endSessions(db, id, null);
    const changed = await findUserById(db, id);
    if (!changed) throw failure();
    return changed;
  });

  announceCallersChanged(user.id);
  return { msg: `updated user ID:${user.id} ${user.username}`, user: toUserRecordWithKey(user, vault) };
};
