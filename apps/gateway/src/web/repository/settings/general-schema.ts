import { text, type FormValues } from '../../form/form-schema.tsx';
import type { RepositoryHead } from '../head/repository-head.ts';
import { description, enableDownloads, isPrivate, landingRevision } from '../repository-fields.tsx';

const pulledFrom =
  'URL to pull from. Leave empty for none. A password in the URL is not shown, and is kept unless you change the URL.';

/** All settings; fields are named as the arguments of `update_repo`. */
export const generalSchema = {
  name: text({ label: 'Name', required: true, maxlength: 255, hint: 'Without the names of its groups.' }),
  group: text({ label: 'Group', maxlength: 255, hint: 'Full name of the repository group.' }),
  owner: text({ label: 'Owner', required: true, maxlength: 255 }),
  description,
  landing_rev: landingRevision,
  clone_uri: text({ label: 'Remote repository', hint: pulledFrom }),
  private: isPrivate,
  enable_downloads: enableDownloads,
};
const { owner: _, ...withoutOwner } = generalSchema;

export type GeneralValues = FormValues<typeof generalSchema>;

/** The settings that are shown; `update_repo` lets only administrators of the service change the owner. */
export function shownSchema(isAdmin: boolean) {
  return isAdmin ? generalSchema : withoutOwner;
}

export function generalValues(repository: RepositoryHead): GeneralValues {
  const segments = repository.repo_name.split('/');
  return {
    name: segments.at(-1) ?? '',
    group: segments.slice(0, -1).join('/'),
    owner: repository.owner,
    description: repository.description,
    clone_uri: repository.clone_uri ?? '',
    landing_rev: repository.landing_rev,
    private: repository.private,
    enable_downloads: repository.enable_downloads,
  };
}
