import { toFullUserRecord } from '../../user/user-record.ts';
import { listUsers } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getUsers: MethodHandler<'get_users'> = async (page, { db, vault }) => {
  const rows = await listUsers(db, page);
  return rows.map((row) => toFullUserRecord(row, vault));
};
