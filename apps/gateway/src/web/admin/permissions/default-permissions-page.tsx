import type { DefaultPermissionsRecord } from '@trunkline/contracts';
import { CheckField, RefusalText, SelectField } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import { CsrfField } from '../../layout/page.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visitor } from '../../visitor/visitor.ts';
import { adminForm, ofNothing } from '../admin-form.ts';

type Shown = Readonly<Record<'repository' | 'group' | 'usergroup' | 'register', string>> &
  Readonly<Record<'create_repository' | 'fork_repository', boolean>>;

const path = adminPath('permissions');
const registers = {
  'hg.register.none': 'nobody',
  'hg.register.manual_activate': 'anybody, once an administrator has activated the account',
  'hg.register.auto_activate': 'anybody',
};

function levelsOf(kind: string): Record<string, string> {
  return Object.fromEntries(['none', 'read', 'write', 'admin'].map((level) => [`${kind}.${level}`, level]));
}

function sentPermissions(form: URLSearchParams): Shown {
  return {
    repository: form.get('repository') ?? '',
    group: form.get('group') ?? '',
    usergroup: form.get('usergroup') ?? '',
    register: form.get('register') ?? '',
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
        hint="Private ones excepted."
      />
      <CheckField
        label="Set this on every repository there is, too"
        name="overwrite_repositories"
        checked={false}
        hint="Overwrites what everybody has on each repository that is not private."
      />
      <SelectField label="On new repository groups" name="group" value={shown.group} choices={levelsOf('group')} />
      <CheckField
        label="Set this on every repository group there is, too"
        name="overwrite_groups"
        checked={false}
        hint="Overwrites what everybody has on each repository group."
      />
      <SelectField label="On user groups" name="usergroup" value={shown.usergroup} choices={levelsOf('usergroup')} />
      <CheckField label="Everybody creates repositories" name="create_repository" checked={shown.create_repository} />
      <CheckField
        label="Everybody forks the repositories that they may read"
        name="fork_repository"
        checked={shown.fork_repository}
      />
      <SelectField label="Who may register" name="register" value={shown.register} choices={registers} />
      <button>Save</button>
    </form>
  );
}

/** The permissions of users without grants of their own. */
export const defaultPermissionsPage = adminForm({
  view: 'PermissionsController:__before__',
  of: ofNothing,
  async show(visit, _, refusal) {
    const { worker, visitor, form } = visit;
    const current: DefaultPermissionsRecord = await worker.call('get_default_permissions');
    const children = (
      <>
        <p>What everybody may do to whom nothing else was granted.</p>
        <RefusalText refusal={refusal} />
        <DefaultsForm visitor={visitor} shown={refusal ? sentPermissions(form) : current} />
      </>
    );
    return showAdminPage(visit, { section: 'permissions', status: refusal?.status ?? 200, children });
  },
  async take({ worker, form }) {
    await worker.call('update_default_permissions', {
      ...sentPermissions(form),
      overwrite_repositories: form.has('overwrite_repositories'),
      overwrite_groups: form.has('overwrite_groups'),
    });
    return seeOther(path, noticeCookie('The default permissions are saved.'));
  },
});
