import { requireSelf } from '../../authz/require-self.ts';
import { sizeOfOwner } from '../../repo/stored-size-store.ts';
import { loadPermissions } from '../../user/permissions-record.ts';
import { toFullUserRecord } from '../../user/user-record.ts';
import { findUser, findUserById } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getUser: MethodHandler<'get_user'> = async ({ userid }, { db, access, vault }) => {
  if (userid) requireSelf(access, userid);
  const row = await (userid ? findUser(db, userid) : findUserById(db, access.user.id));
  if (!row) return null;
  const { admin } = access.user;
  const [permissions, size] = await Promise.all([
    loadPermissions(db, row, { withNone: admin }),
    admin ? sizeOfOwner(db, row.id) : null,
  ]);
  const sizes = size && { size_bytes: size.size_bytes, size_unknown: size.size_unknown };
  return { ...toFullUserRecord(row, vault), permissions, ...sizes };
};
