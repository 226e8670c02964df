import { ForbiddenError } from '@trunkline/contracts';
import { users } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { loadPermissions } from '../../user/permissions-record.ts';
import { toFullUserRecord } from '../../user/user-record.ts';
import { findUser, namesUser, userNamed } from '../../user/user-store.ts';
import type { Handler } from '../context.ts';

export const getUser: Handler<'get_user'> = async ({ userid }, { db, access, vault }) => {
  if (userid && !access.user.admin && !namesUser(userid, access.user)) {
    throw new ForbiddenError('userid is not the same as your user');
  }
  const row = await findUser(db, userid ? userNamed(userid) : eq(users.id, access.user.id));
  if (!row) return null;
  const permissions = await loadPermissions(db, row, { withNone: access.user.admin });
  return { ...toFullUserRecord(row, vault), permissions };
};
