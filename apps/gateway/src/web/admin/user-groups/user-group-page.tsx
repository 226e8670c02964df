import { changedFields } from '../../form/changed-fields.ts';
import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm } from '../admin-form.ts';
import { fieldsOf, sentFields, UserGroupForm } from './user-group-form.tsx';
import { administeredUserGroup, userGroupsView } from './user-group-scope.ts';

/** The name, description and owner of a user group. */
export const userGroupPage = adminForm({
  view: userGroupsView,
  of: administeredUserGroup,
  async show(visit, { group, tabbed }, refusal) {
    const fields = refusal ? sentFields(visit.form) : fieldsOf(group);
    const children = (
      <>
        <h2>General</h2>
        <RefusalText refusal={refusal} />
        <UserGroupForm visitor={visit.visitor} action={tabbed.path} fields={fields} isNew={false} />
      </>
    );
    return showAdminPage(visit, {
      section: 'user_groups',
      tabbed: { of: tabbed, part: '' },
      status: refusal?.status ?? 200,
      children,
    });
  },
  async take({ worker, form }, { group, id, tabbed }) {
    const changed = changedFields(sentFields(form), fieldsOf(group));
    await worker.call('update_user_group', { usersgroupid: id, ...changed });
    return seeOther(tabbed.path, noticeCookie('The user group is saved.'));
  },
});
