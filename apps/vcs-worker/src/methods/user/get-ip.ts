import { toIpRange } from '@trunkline/runtime';
import { findNetworks, userNotFound } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getIp: MethodHandler<'get_ip'> = async ({ userid }, { db, access }) => {
  const networks = await findNetworks(db, userid);
  if (!networks) throw userNotFound(userid);
  return {
    ip_addr_server: access.ip,
    user_ips: networks.map((network) => ({ ip_addr: network, ip_range: toIpRange(network) })),
  };
};
