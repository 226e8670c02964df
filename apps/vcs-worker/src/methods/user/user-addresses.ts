import { insertEmail, removeEmail, requireFewEmails } from '../../domain/user/email-store.ts';
import { lockTargetUser, requireEditable, requireTargetUser } from '../../domain/user/target-user.ts';
import type { MethodHandler } from '../context.ts';
import { insertAddress, removeAddress, requireNetwork } from '../../domain/user/address-store.ts';
import { requireUser } from '../../domain/user/user-store.ts';

export const addUserEmail: MethodHandler<'add_user_email'> = async ({ email, userid }, { transact }) =>
  transact(async (scope) => {
    const { user } = await lockTargetUser(scope, userid);
    await requireFewEmails(scope.db, user, email);
    await insertEmail(scope.db, user.id, email);
    return { success: true, msg: `added email \`${email.address}\` to user \`${user.username}\`` };
  });

export const removeUserEmail: MethodHandler<'remove_user_email'> = async (
  { email: { address }, userid },
  { transact },
) =>
  transact(async ({ db, access }) => {
    const user = requireEditable(await requireTargetUser(db, access, userid));
    const success = await removeEmail(db, user, address);
    const msg = success
      ? `removed email \`${address}\` from user \`${user.username}\``
      : `user \`${user.username}\` has no email \`${address}\``;
    return { success, msg };
  });

export const addUserIp: MethodHandler<'add_user_ip'> = async ({ userid, ip }, { transact, announceCallersChanged }) => {
  const network = requireNetwork(ip);
  const { id, username, success } = await transact(async ({ db, access }) => {
    const user = await requireUser(db, userid);
    return { id: user.id, username: user.username, success: await insertAddress(db, access, user.id, network) };
  });

  // The addresses of `default` hold for everybody.
  if (success) announceCallersChanged(username === 'default' ? null : id);
  const msg = success
    ? `added ip \`${network}\` to user \`${username}\``
    : `user \`${username}\` already has ip \`${network}\``;
  return { success, msg };
};

export const removeUserIp: MethodHandler<'remove_user_ip'> = async (
  { userid, ip },
  { transact, announceCallersChanged },
) => {
  const network = requireNetwork(ip);
  const { id, username, success } = await transact(async ({ db, access }) => {
    const user = await requireUser(db, userid);
    return { id: user.id, username: user.username, success: await removeAddress(db, access, user.id, network) };
  });

  // The addresses of `default` hold for everybody.
  if (success) announceCallersChanged(username === 'default' ? null : id);
  const msg = success
    ? `removed ip \`${network}\` from user \`${username}\``
    : `user \`${username}\` has no ip \`${network}\``;
  return { success, msg };
};
