import { InvalidArgsError } from '@trunkline/contracts';
import { changedFields } from '../../form/changed-fields.ts';
import { rerenderOnError } from '../../form/rerender-on-error.ts';
import { withoutPassword } from '../../form/without-password.ts';
import { noticeCookie } from '../../http/notice.ts';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import type { RepositoryPage } from '../repository-page.ts';
import { withoutRest } from '../without-rest.ts';
import { fieldsOf, sentFields, type GeneralFields } from './general-fields.ts';
import { GeneralForm } from './general-form.tsx';
import { readAdministered, settingsPath, showSettings } from './settings-frame.tsx';

async function change({ worker, form }: Visit, repository: RepositoryHead): Promise<Response> {
  const changed = changedFields(sentFields(form), fieldsOf(repository));
  // The method reads an empty group as "do not move".
  if (changed.group === '') throw new InvalidArgsError('A repository cannot be moved out of all groups');
  const { repository: now } = await worker.call('update_repo', { repoid: repository.repo_id, ...changed });
  return seeOther(settingsPath(now.repo_name, 'general'), noticeCookie('The settings are saved.'));
}

/** The entries to show again, without a new remote location that may hold a password. */
function enteredFields({ form }: Visit, repository: RepositoryHead): GeneralFields {
  const current = fieldsOf(repository);
  const entered = { ...current, ...sentFields(form) };
  const isShowable = withoutPassword(entered.clone_uri) === entered.clone_uri;
  return isShowable ? entered : { ...entered, clone_uri: current.clone_uri };
}

/** The general settings of a repository. */
export const generalPage: RepositoryPage = withoutRest({
  view: 'ReposController:edit',
  audience: 'users',
  async get(visit, address) {
    const repository = await readAdministered(visit, address);
    const action = settingsPath(repository.repo_name, 'general');
    const children = <GeneralForm visitor={visit.visitor} action={action} fields={fieldsOf(repository)} />;
    return showSettings(visit, address, { section: 'general', repository, refusal: null, children });
  },
  async post(visit, address) {
    const repository = await readAdministered(visit, address);
    return rerenderOnError(
      () => change(visit, repository),
      async (refusal) => {
        const action = settingsPath(repository.repo_name, 'general');
        const children = (
          <GeneralForm visitor={visit.visitor} action={action} fields={enteredFields(visit, repository)} />
        );
        return showSettings(visit, address, { section: 'general', repository, refusal, children });
      },
    );
  },
});
