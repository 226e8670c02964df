import { toIpRange } from '@trunkline/runtime';
import { userNotFound } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getIp: MethodHandler<'get_ip'> = async ({ userid }, { access: { ip, shown: networks } }) => {
  if (!networks) throw userNotFound(userid);
  return {
    ip_addr_server: ip,
    user_ips: networks.map((network) => ({ ip_addr: network, ip_range: toIpRange(network) })),
  };
};
