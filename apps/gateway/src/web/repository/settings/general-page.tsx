import { InvalidArgsError } from '@trunkline/contracts';
import { changedFields, readForm, SchemaForm, text, type FormValues } from '../../form/form-schema.tsx';
import type { RepositoryHead } from '../repository-head.ts';
import { description, enableDownloads, isPrivate, landingRevision, withoutPassword } from '../repository-fields.tsx';
import { rerenderOnError, type Refusal } from '../../form/form-route.ts';
import { noticeCookie } from '../../http/notice.ts';
import { seeOther } from '../../layout/page.tsx';
import type { Visit } from '../../visit.ts';
import { withoutRest, type PageAddress, type RepositoryPage } from '../repository-page.ts';
import { readForSettings, settingsPath, showSettings } from './settings-frame.tsx';

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

type GeneralValues = FormValues<typeof generalSchema>;

/** The settings that are shown; `update_repo` lets only administrators of the service change the owner. */
function shownSchema(isAdmin: boolean) {
  return isAdmin ? generalSchema : withoutOwner;
}

function generalValues(repository: RepositoryHead): GeneralValues {
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

async function change({ worker, form }: Visit, repository: RepositoryHead): Promise<Response> {
  const current = generalValues(repository);
  const changed = changedFields(readForm(generalSchema, form, current), current);
  // The method reads an empty group as "do not move".
  if (changed.group === '') throw new InvalidArgsError('A repository in a group cannot be moved to the top level');
  const { repository: now } = await worker.call('update_repo', { repoid: repository.repo_id, ...changed });
  return seeOther(settingsPath(now.repo_name, 'general'), noticeCookie('The settings are saved.'));
}

/** Returns the entries to show again, without a new URL of the remote that may hold a password. */
function enteredValues({ form }: Visit, repository: RepositoryHead): GeneralValues {
  const current = generalValues(repository);
  const entered = readForm(generalSchema, form, current);
  const isShowable = withoutPassword(entered.clone_uri) === entered.clone_uri;
  return isShowable ? entered : { ...entered, clone_uri: current.clone_uri };
}

interface Shown {
  readonly repository: RepositoryHead;
  readonly values: GeneralValues;
  readonly refusal: Refusal | null;
}

function show(visit: Visit, address: PageAddress, { repository, values, refusal }: Shown): Promise<Response> {
  const { visitor } = visit;
  const action = settingsPath(repository.repo_name, 'general');
  const schema = shownSchema(visitor.admin);
  const children = <SchemaForm visitor={visitor} action={action} schema={schema} values={values} submit="Save" />;
  return showSettings(visit, address, { section: 'general', repository, refusal, children });
}

/** The page of a repository's general settings. */
export const generalPage: RepositoryPage = withoutRest({
  pageName: 'ReposController:edit',
  audience: 'users',
  async get(visit, address) {
    const repository = await readForSettings(visit, address, 'general');
    return show(visit, address, { repository, values: generalValues(repository), refusal: null });
  },
  async post(visit, address) {
    const repository = await readForSettings(visit, address, 'general');
    return rerenderOnError(
      () => change(visit, repository),
      (refusal) => show(visit, address, { repository, values: enteredValues(visit, repository), refusal }),
    );
  },
});
