import { rawJson, type PermissionsRecord } from '@trunkline/contracts';
import type { UserDetails } from './user-with-caller.ts';

/**
 * Returns the permissions of a user (spec 2.2). A user's own maps leave out objects of level none; those for
 * administrators have every name.
 */
export function toPermissionsRecord(row: UserDetails): PermissionsRecord {
  const map = (json: string) => rawJson(json) as Record<string, string>;
  return {
    global: row.admin ? ['hg.admin', 'hg.create.write_on_repogroup.true'] : row.globalPermissions.toSorted(),
    repositories: map(row.repositories),
    repositories_groups: map(row.repoGroups),
    user_groups: map(row.userGroups),
  };
}
