import { requireSelf } from '../../authz/require-self.ts';
import { loadPermissions } from '../../user/permissions-record.ts';
import { toFullUserRecord } from '../../user/user-record.ts';
import { findUser, findUserById, userNamed } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getUser: MethodHandler<'get_user'> = async ({ userid }, { db, access, vault }) => {
  if (userid) requireSelf(access, userid);
  const row = await (userid ? findUser(db, userNamed(userid)) : findUserById(db, access.user.id));
  if (!row) return null;
  const permissions = await loadPermissions(db, row, { withNone: access.user.admin });
  return { ...toFullUserRecord(row, vault), permissions };
};
