import { readList } from '../../serve/lists/read-list.ts';
import { toFullUserRecord } from '../../domain/user/user-record.ts';
import { listUsers } from '../../domain/user/user-store.ts';
import type { MethodHandler } from '../context.ts';

export const getUsers: MethodHandler<'get_users'> = async (page, context) =>
  readList(context, page, {
    read: (tx, _access, part) => listUsers(tx, part),
    keyOf: ({ username }) => username,
    toEntry: (row) => toFullUserRecord(row, context.vault),
  });
