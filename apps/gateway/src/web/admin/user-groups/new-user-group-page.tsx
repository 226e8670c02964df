import { RefusalText } from '../../form/fields.tsx';
import { readForm } from '../../form/form-schema.tsx';
import { SchemaForm } from '../../form/schema-form.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm, noObject } from '../admin-form.ts';
import { newUserGroupSchema as schema } from './user-group-schema.ts';
import { userGroupPath, userGroupsView } from './user-group-scope.ts';

const newGroup = { group_name: '', owner: '', active: true };

/** The page that creates a user group. */
export const newUserGroupPage = adminForm({
  view: userGroupsView,
  readObject: noObject,
  async show(visit, _, refusal) {
    const { visitor, form } = visit;
    const values = refusal ? readForm(schema, form, newGroup) : newGroup;
    const action = '/_admin/user_groups/new';
    return showAdminPage(visit, {
      section: 'user_groups',
      heading: 'New user group',
      status: refusal?.status ?? 200,
      children: (
        <>
          <RefusalText refusal={refusal} />
          <SchemaForm visitor={visitor} action={action} schema={schema} values={values} submit="Create user group" />
        </>
      ),
    });
  },
  async submit({ worker, form }) {
    const values = readForm(schema, form, newGroup);
    const { users_group: group } = await worker.call('create_user_group', { ...values, owner: values.owner || null });
    return seeOther(
      userGroupPath(group.users_group_id),
      noticeCookie(`The user group ${group.group_name} is created.`),
    );
  },
});
