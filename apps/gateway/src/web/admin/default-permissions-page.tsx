import type { DefaultPermissionsRecord } from '@trunkline/contracts';
import { CheckField, RefusalText, SelectField } from '../form/fields.tsx';
import { noticeCookie } from '../http/notice.ts';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import type { Visitor } from '../identify.ts';
import { adminForm, noObject } from './admin-form.ts';

type Shown = Readonly<Record<'repository' | 'group' | 'usergroup', string>> &
  Readonly<Record<'create_repository' | 'fork_repository', boolean>>;

const path = adminPath('permissions');

function levelsOf(kind: string): Record<string, string> {
  return Object.fromEntries(['none', 'read', 'write', 'admin'].map((level) => [`${kind}.${level}`, level]));
}

function sentPermissions(form: URLSearchParams): Shown {
  return {
    repository: form.get('repository') ?? '',
    group: form.get('group') ?? '',
    usergroup: form.get('usergroup') ?? '',
    create_repository: form.has('create_repository'),
    fork_repository: form.has('fork_repository'),
  };
}

function DefaultsForm({ visitor, shown }: { visitor: Visitor; shown: Shown }) {
  return (
    <form method="post" action={path} class="stacked">
      <CsrfField visitor={visitor} />
      <SelectField
        label="On new repositories"
        name="repository"
        value={shown.repository}
        choices={levelsOf('repository')}
        hint="Does not apply to private repositories."
      />
      <CheckField
        label="Also set this level on all existing repositories"
        name="overwrite_repositories"
        checked={false}
        hint="Overwrites the default level on every repository that is not private."
      />
      <SelectField label="On new repository groups" name="group" value={shown.group} choices={levelsOf('group')} />
      <CheckField
        label="Also set this level on all existing repository groups"
        name="overwrite_groups"
        checked={false}
        hint="Overwrites the default level on every repository group."
      />
      <SelectField
        label="On user groups"
        name="usergroup"
        value={shown.usergroup}
        choices={levelsOf('usergroup')}
        hint="Shown among the permissions of a user. Administrators alone change user groups."
      />
      <CheckField
        label="Everybody can create repositories"
        name="create_repository"
        checked={shown.create_repository}
      />
      <CheckField
        label="Everybody can fork repositories that they can read"
        name="fork_repository"
        checked={shown.fork_repository}
      />
      <button>Save</button>
    </form>
  );
}

/** The page of the default permissions, those of users without grants of their own. */
export const defaultPermissionsPage = adminForm({
  pageName: 'PermissionsController:__before__',
  readObject: noObject,
  async show(visit, _, refusal) {
    const { worker, visitor, form } = visit;
    const current: DefaultPermissionsRecord = await worker.call('get_default_permissions');
    const children = (
      <>
        <p>Permissions of all users to whom nothing else is granted.</p>
        <RefusalText refusal={refusal} />
        <DefaultsForm visitor={visitor} shown={refusal ? sentPermissions(form) : current} />
      </>
    );
    return showAdminPage(visit, { section: 'permissions', status: refusal?.status ?? 200, children });
  },
  async submit({ worker, form }) {
    await worker.call('update_default_permissions', {
      ...sentPermissions(form),
      overwrite_repositories: form.has('overwrite_repositories'),
      overwrite_groups: form.has('overwrite_groups'),
    });
    return seeOther(path, noticeCookie('The default permissions are saved.'));
  },
});
