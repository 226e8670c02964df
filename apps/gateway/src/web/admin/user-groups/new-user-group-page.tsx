import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm, ofNothing } from '../admin-form.ts';
import { sentFields, UserGroupForm } from './user-group-form.tsx';
import { userGroupPath, userGroupsView } from './user-group-scope.ts';

const action = '/_admin/user_groups/new';
const newGroup = { group_name: '', description: '', owner: '', active: true };

/** Creates a user group. */
export const newUserGroupPage = adminForm({
  view: userGroupsView,
  of: ofNothing,
  async show(visit, _, refusal) {
    const fields = refusal ? sentFields(visit.form) : newGroup;
    return showAdminPage(visit, {
      section: 'user_groups',
      heading: 'New user group',
      status: refusal?.status ?? 200,
      children: (
        <>
          <RefusalText refusal={refusal} />
          <UserGroupForm visitor={visit.visitor} action={action} fields={fields} isNew />
        </>
      ),
    });
  },
  async take({ worker, form }) {
    const { group_name, owner, active } = sentFields(form);
    const { users_group: group } = await worker.call('create_user_group', {
      group_name,
      owner: owner || null,
      active,
    });
    return seeOther(
      userGroupPath(group.users_group_id),
      noticeCookie(`The user group ${group.group_name} is created.`),
    );
  },
});
