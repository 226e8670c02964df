import { InvalidArgsError } from '@trunkline/contracts';
import { changedFields } from '../../form/changed-fields.ts';
import { readForm } from '../../form/form-schema.tsx';
import { rerenderOnError, type Refusal } from '../../form/rerender-on-error.ts';
import { SchemaForm } from '../../form/schema-form.tsx';
import { withoutPassword } from '../../form/without-password.ts';
import { noticeCookie } from '../../http/notice.ts';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';
import { generalSchema, generalValues, shownSchema, type GeneralValues } from './general-schema.ts';
import { readForSettings, settingsPath, showSettings } from './settings-frame.tsx';

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
  view: 'ReposController:edit',
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
