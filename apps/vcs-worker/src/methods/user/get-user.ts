import { isSelf, requireSelf } from '../../authz/require-self.ts';
import { sizeOfOwner } from '../../repo/stored-size-store.ts';
import { loadPermissions } from '../../user/permissions-record.ts';
import { toFullUserRecord } from '../../user/user-record.ts';
import { findUser, findUserById } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getUser: MethodHandler<'get_user'> = async ({ userid }, { db, access, vault }) => {
  if (userid) requireSelf(access, userid);
  const { user, globalPermissions } = access;
  const { admin } = user;
  const isOwn = !userid || isSelf(access, userid);
  const found = isOwn ? findUserById(db, user.id) : findUser(db, userid);
  // Of the caller enough is known to read the permissions at the same time.
  const target = isOwn ? { ...user, globalPermissions } : await found;
  if (!target) return null;
  const [row, permissions, size] = await Promise.all([
    found,
    loadPermissions(db, target, { withNone: admin }),
    admin ? sizeOfOwner(db, target.id) : null,
  ]);
  if (!row) return null;
  const sizes = size && { size_bytes: size.size_bytes, size_unknown: size.size_unknown };
  return { ...toFullUserRecord(row, vault), permissions, ...sizes };
};
