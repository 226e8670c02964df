import { area, check, text, type FormValues } from '../../form/form-schema.tsx';
import { newOwner, owner } from '../owner-field.ts';
import type { RepoGroup } from './repo-group-scope.ts';

const inGroup = 'Full name of the parent group. Leave empty for the top level.';

/** The form of an existing repository group; fields are named as the arguments of `update_repo_group`. */
export const repoGroupSchema = {
  group_name: text({ label: 'Name', required: true, maxlength: 255, hint: 'Without the names of its parent groups.' }),
  parent: text({ label: 'Parent group', maxlength: 255, hint: inGroup }),
  owner,
  description: area({ label: 'Description' }),
};

/** The form of a new repository group; fields are named as the arguments of `create_repo_group`. */
export const newRepoGroupSchema = {
  ...repoGroupSchema,
  owner: newOwner,
  copy_permissions: check({ label: 'Copy permissions', hint: 'Copies the levels from the parent group.' }),
};

export function repoGroupValues({ group_name: name, parent_group: parent, owner: ownerName, ...group }: RepoGroup) {
  const values: FormValues<typeof repoGroupSchema> = {
    group_name: name.split('/').at(-1) ?? '',
    parent: parent ?? '',
    owner: ownerName,
    description: group.description,
  };
  return values;
}
