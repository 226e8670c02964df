import { changedFields } from '../../form/changed-fields.ts';
import { RefusalText } from '../../form/fields.tsx';
import { readForm } from '../../form/form-schema.tsx';
import { SchemaForm } from '../../form/schema-form.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm } from '../admin-form.ts';
import { userGroupSchema as schema, userGroupValues } from './user-group-schema.ts';
import { administeredUserGroup, userGroupsView } from './user-group-scope.ts';

/** The page of the name, description, owner and state of a user group. */
export const userGroupPage = adminForm({
  view: userGroupsView,
  readObject: administeredUserGroup,
  async show(visit, { group, tabbed }, refusal) {
    const { visitor, form } = visit;
    const current = userGroupValues(group);
    const values = refusal ? readForm(schema, form, current) : current;
    const children = (
      <>
        <h2>General</h2>
        <RefusalText refusal={refusal} />
        <SchemaForm visitor={visitor} action={tabbed.path} schema={schema} values={values} submit="Save" />
      </>
    );
    return showAdminPage(visit, {
      section: 'user_groups',
      tabbed: { of: tabbed, part: '' },
      status: refusal?.status ?? 200,
      children,
    });
  },
  async submit({ worker, form }, { group, id, tabbed }) {
    const current = userGroupValues(group);
    const changed = changedFields(readForm(schema, form, current), current);
    await worker.call('update_user_group', { usersgroupid: id, ...changed });
    return seeOther(tabbed.path, noticeCookie('The user group is saved.'));
  },
});
