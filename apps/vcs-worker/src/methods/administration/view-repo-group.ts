import { findRepoGroup } from '../../domain/groups/repo-group-read-store.ts';
import type { MethodHandler } from '../context.ts';

export const viewRepoGroup: MethodHandler<'view_repo_group'> = async ({ repogroupid: { id } }, { db }) => {
  const group = id === null ? undefined : await findRepoGroup(db, id);
  if (!group) return null;
  const { name, description, parent, owner } = group;
  return { group_name: name, description, parent_group: parent, owner };
};
