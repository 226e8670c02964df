import { OperationFailedError, usernameProblem } from '@trunkline/contracts';
import { generateApiKey, toStoredKey } from '@trunkline/db';
import { hashPassword } from '@trunkline/runtime';
import { requireEmailFree } from '../../domain/user/email-store.ts';
import { toUserRecord, toUserRecordWithKey } from '../../domain/user/user-record.ts';
import {
  findUserById,
  insertUser,
  requireUser,
  requireUsernameFree,
  userNotFound,
} from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';
import { requireEditable } from '../../domain/user/target-user.ts';
import { endSessions } from '../../domain/user/session-store.ts';
import { changeUser, otherAdminRemains, removeUser } from '../../domain/user/user-change-store.ts';

export const createUser: MethodHandler<'create_user'> = async (args, { authorize, transact, vault }) => {
  await authorize();
  const passwordHash = args.password ? await hashPassword(args.password) : null;

  const user = await transact(async ({ db }) => {
    await requireUsernameFree(db, args.username);
    await requireEmailFree(db, args.email);
    const problem = usernameProblem(args.username);
    if (problem) throw new OperationFailedError(`failed to create user \`${args.username}\`: ${problem}`);
    return insertUser(db, {
      username: args.username,
      email: args.email,
      passwordHash,
      firstname: args.firstname,
      lastname: args.lastname,
      active: args.active,
      admin: args.admin,
      ldapDn: args.extern_type === 'ldap' ? (args.extern_name ?? args.ldap_dn) : args.ldap_dn,
      externType: args.extern_type,
      externName: args.extern_name,
      key: toStoredKey(vault, generateApiKey()),
    });
  });

  return { msg: `created new user \`${user.username}\``, user: toUserRecord(user) };
};

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

export const deleteUser: MethodHandler<'delete_user'> = async ({ userid }, { transact, announceCallersChanged }) => {
  const { id, username } = await transact(async ({ db }) => {
    const user = await requireUser(db, userid);
    const failure = (cause?: unknown) =>
      new OperationFailedError(`failed to delete user ID:${user.id} ${user.username}`, { cause });
    if (user.username === 'default' || !(await otherAdminRemains(db, user.id))) throw failure();
    // Another call may have deleted the user after this call read the row.
    if (!(await removeUser(db, user.id, failure))) throw userNotFound(userid);
    return user;
  });

  announceCallersChanged(id);
  return { msg: `deleted user ID:${id} ${username}`, user: null };
};
