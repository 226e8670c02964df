import { requireSelf } from '../../authz/require-self.ts';
import { toPermissionsRecord } from '../../domain/user/permissions-record.ts';
import { toFullUserRecord } from '../../domain/user/user-record.ts';
import type { MethodHandler } from '../context.ts';

export const getUser: MethodHandler<'get_user'> = async ({ userid }, { access, vault }) => {
  if (userid) requireSelf(access, userid);
  const { shown: row } = access;
  if (!row) return null;
  return { ...toFullUserRecord(row, vault), permissions: toPermissionsRecord(row), ...row.size };
};
