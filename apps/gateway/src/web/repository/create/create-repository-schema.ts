import { select, text, type FormValues } from '../../form/form-schema.tsx';
import { description, enableDownloads, fullName, isPrivate, landingRevision } from '../repository-fields.tsx';

const copied = 'URL of a remote repository to copy, and to pull from later. Leave empty for an empty repository.';

/** The form of a new repository; fields are named as the arguments of `create_repo`. */
export const createRepositorySchema = {
  repo_name: fullName('Name', { autofocus: true }),
  repo_type: select({ label: 'Type', choices: { hg: 'Mercurial', git: 'Git' } }),
  description,
  clone_uri: text({ label: 'Copy from', hint: copied }),
  landing_rev: landingRevision,
  private: isPrivate,
  enable_downloads: enableDownloads,
};

/** The name of a field's choice that leaves the storage to the service. */
const anyStorage = '';

/** Returns the form of an administrator, who may also choose one of these storages. */
export function createRepositorySchemaWith(storages: readonly string[]) {
  const choices = { [anyStorage]: 'chosen by the service', ...Object.fromEntries(storages.map((one) => [one, one])) };
  return { ...createRepositorySchema, storage: select({ label: 'Storage', choices }) };
}

export type CreateValues = FormValues<ReturnType<typeof createRepositorySchemaWith>>;

/** The values of fields that a sent form lacks; `create_repo` refuses those that must not be empty. */
export const nothingSent: CreateValues = {
  repo_name: '',
  repo_type: '',
  description: '',
  clone_uri: '',
  landing_rev: '',
  private: false,
  enable_downloads: false,
  storage: anyStorage,
};

/** Returns the initial values, for a repository in a group or, when `group` is null, in none. */
export function newRepository(group: string | null): CreateValues {
  return {
    repo_name: group ? `${group}/` : '',
    repo_type: 'hg',
    description: '',
    clone_uri: '',
    landing_rev: 'tip',
    private: false,
    enable_downloads: true,
    storage: anyStorage,
  };
}
