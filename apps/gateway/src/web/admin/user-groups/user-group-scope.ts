import type { ListedUserGroup } from '@trunkline/contracts';
import type { TabbedPages } from '../../layout/tabbed-pages.ts';
import type { Visit } from '../../visit.ts';
import { idSegment } from '../id-segment.ts';

export const userGroupsView = 'UserGroupsController:__before__';

const parts = { '': 'General', members: 'Members', perms: 'Permissions', advanced: 'Delete' };

/** Returns the path of a user group's administration pages. */
export function userGroupPath(id: number): string {
  return `/_admin/user_groups/${id}/edit`;
}

interface Administered {
  readonly group: ListedUserGroup;
  readonly id: number;
  readonly tabbed: TabbedPages;
}

/** Reads the user group whose id is in the path. Throws NotFoundError when there is none. */
export async function administeredUserGroup(visit: Visit): Promise<Administered> {
  const id = idSegment(visit);
  const group = await visit.worker.call('view_user_group', { usersgroupid: id });
  return { group, id, tabbed: { heading: group.group_name, path: userGroupPath(id), parts } };
}
