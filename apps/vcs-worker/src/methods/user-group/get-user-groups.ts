import { readList } from '../../serve/lists/read-list.ts';
import { toUserGroupRecord } from '../../domain/groups/user-group-record.ts';
import { listUserGroups } from '../../domain/groups/user-group-store.ts';
import type { MethodHandler } from '../context.ts';

export const getUserGroups: MethodHandler<'get_user_groups'> = async (page, context) =>
  readList(context, page, {
    read: (tx, _access, part) => listUserGroups(tx, part),
    keyOf: ({ id }) => id,
    toEntry: toUserGroupRecord,
  });
