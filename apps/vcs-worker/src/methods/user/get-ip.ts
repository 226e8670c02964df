import { toIpRange } from '../../user/ip-range.ts';
import { findUser, userNamed, userNotFound } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getIp: MethodHandler<'get_ip'> = async ({ userid }, { db, access }) => {
  const user = await findUser(db, userNamed(userid));
  if (!user) throw userNotFound(userid);
  return {
    ip_addr_server: access.ip,
    user_ips: user.networks.map((network) => ({ ip_addr: network, ip_range: toIpRange(network) })),
  };
};
