import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { partPath } from '../../layout/tabbed-pages.ts';
import { adminForm } from '../admin-form.ts';
import { DeleteForm, requireConfirmed } from '../delete-form.tsx';
import { administeredUserGroup, userGroupsView } from './user-group-scope.ts';

const part = 'advanced';

/** The page that deletes a user group after a confirmation. */
export const deleteUserGroupPage = adminForm({
  view: userGroupsView,
  readObject: administeredUserGroup,
  async show(visit, { group: { group_name: name }, tabbed }, refusal) {
    const children = (
      <>
        <h2>Delete</h2>
        <RefusalText refusal={refusal} />
        <DeleteForm visitor={visit.visitor} action={partPath(tabbed, part)} kind="user group" name={name}>
          This permanently deletes <strong>{name}</strong>, but not its members. A group that has a level on a
          repository or repository group cannot be deleted.
        </DeleteForm>
      </>
    );
    const status = refusal?.status ?? 200;
    return showAdminPage(visit, { section: 'user_groups', tabbed: { of: tabbed, part }, status, children });
  },
  async submit({ worker, form }, { id, group }) {
    requireConfirmed(form);
    await worker.call('delete_user_group', { usersgroupid: id });
    return seeOther(adminPath('user_groups'), noticeCookie(`The user group ${group.group_name} is deleted.`));
  },
});
