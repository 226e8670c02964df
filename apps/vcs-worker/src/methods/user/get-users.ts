import { toIpRange } from '@trunkline/runtime';
import { callerParameters } from '../../authz/authorize.ts';
import { requireSelf } from '../../domain/user/target-user.ts';
import { toFullUserRecord } from '../../domain/user/user-record.ts';
import { listUsers, userNotFound } from '../../domain/user/user-store.ts';
import {
  networksWithCaller,
  toPermissionsRecord,
  userWithCaller,
  type UserDetails,
} from '../../domain/user/user-with-caller.ts';
import { handlerWithRights, type MethodHandler } from '../context.ts';
import { readList } from '../read-list.ts';

/** Shows the caller without `userid`; null for a user who does not exist, or whom the caller may not see. */
export const getUser = handlerWithRights<'get_user', UserDetails | null>(
  async (db, caller, { userid }) => {
    const target = userid
      ? { targetId: userid.id, targetName: userid.name }
      : { targetId: caller.userId, targetName: null };
    const [row] = await userWithCaller(db).execute({ ...callerParameters(caller), ...target });
    return row && { ...row, keyReaches: true, repository: null };
  },
  (row, { access, vault }, { userid }) => {
    if (userid) requireSelf(access, userid);
    return row && { ...toFullUserRecord(row, vault), permissions: toPermissionsRecord(row), ...row.size };
  },
);

export const getIp = handlerWithRights<'get_ip', readonly string[] | null>(
  async (db, caller, { userid: { id, name } }) => {
    const target = { targetId: id, targetName: name };
    const [row] = await networksWithCaller(db).execute({ ...callerParameters(caller), ...target });
    return row && { ...row, keyReaches: true, repository: null };
  },
  (networks, { access: { ip } }, { userid }) => {
    if (!networks) throw userNotFound(userid);
    return {
      ip_addr_server: ip,
      user_ips: networks.map((network) => ({ ip_addr: network, ip_range: toIpRange(network) })),
    };
  },
);

export const getUsers: MethodHandler<'get_users'> = async (page, context) =>
  readList(context, page, {
    read: (tx, _access, part) => listUsers(tx, part),
    keyOf: ({ username }) => username,
    toEntry: (row) => toFullUserRecord(row, context.vault),
  });
