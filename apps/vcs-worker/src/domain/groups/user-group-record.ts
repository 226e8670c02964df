import type { UserGroupRecord } from '@trunkline/contracts';
import type { UserGroupRow } from './user-group-store.ts';

/** Returns the record of a user group (spec 2.3), without members. */
export function toUserGroupRecord(row: UserGroupRow): UserGroupRecord {
  return { users_group_id: row.id, group_name: row.name, active: row.active };
}
