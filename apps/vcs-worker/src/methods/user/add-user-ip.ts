import { insertAddress } from '../../domain/user/address-store.ts';
import { requireNetwork } from '../../domain/user/require-network.ts';
import { requireUser } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

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
