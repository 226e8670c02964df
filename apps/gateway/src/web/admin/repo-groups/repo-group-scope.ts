import { NotFoundError, type ResultOfMethod, type Served } from '@trunkline/contracts';
import type { TabbedPages } from '../../layout/tabbed-pages.ts';
import type { Visit } from '../../visit.ts';
import { idSegment } from '../id-segment.ts';

export const repoGroupsView = 'RepoGroupsController:__before__';

const parts = { '': 'General', perms: 'Permissions', advanced: 'Delete' };

/** Returns the path of a repository group's administration pages. */
export function repoGroupPath(id: number): string {
  return `/_admin/repo_groups/${id}/edit`;
}

export type RepoGroup = NonNullable<ResultOfMethod<Served['view_repo_group']>>;

interface Administered {
  readonly group: RepoGroup;
  readonly id: number;
  readonly tabbed: TabbedPages;
}

/** Reads the repository group whose id is in the path. Throws NotFoundError when there is none. */
export async function administeredRepoGroup(visit: Visit): Promise<Administered> {
  const id = idSegment(visit);
  const group = await visit.worker.call('view_repo_group', { repogroupid: id });
  if (!group) throw new NotFoundError('There is no such repository group.');
  return { group, id, tabbed: { heading: group.group_name, path: repoGroupPath(id), parts } };
}
