import { readList } from '../../lists/read-list.ts';
import { toFullUserRecord } from '../../user/user-record.ts';
import { listUsers } from '../../user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getUsers: MethodHandler<'get_users'> = async (page, context) =>
  readList(context, page, {
    read: (tx, _access, part) => listUsers(tx, part),
    keyOf: ({ username }) => username,
    toEntry: (row) => toFullUserRecord(row, context.vault),
  });
