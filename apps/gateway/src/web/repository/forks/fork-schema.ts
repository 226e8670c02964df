import { check, type FormValues } from '../../form/form-schema.tsx';
import type { RepositoryHead } from '../head/repository-head.ts';
import { description, fullName, isPrivateFork } from '../repository-fields.tsx';

/** The form of a new fork; fields are named as the arguments of `fork_repo`. */
export const forkSchema = {
  fork_name: fullName('Name of the fork'),
  description,
  private: isPrivateFork,
  copy_permissions: check({
    label: 'Copy permissions',
    hint: 'Copies the levels of users and user groups from this repository to the fork.',
  }),
};

export type ForkValues = FormValues<typeof forkSchema>;

/** The values of fields that a sent form lacks. */
export const emptyFork: ForkValues = { fork_name: '', description: '', private: false, copy_permissions: false };

/** Returns the initial values of a fork of a repository. */
export function newFork({ repo_name: name, description: text, private: isPrivate }: RepositoryHead): ForkValues {
  return { fork_name: `${name}-fork`, description: text, private: isPrivate, copy_permissions: false };
}
