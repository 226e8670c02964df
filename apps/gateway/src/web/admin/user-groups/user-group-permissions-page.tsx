import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { partPath } from '../../layout/tabbed-pages.ts';
import { adminForm } from '../admin-form.ts';
import { changeGrant, GlobalGrants, readGrants } from '../global-grants.tsx';
import { administeredUserGroup, userGroupsView } from './user-group-scope.ts';

const part = 'perms';

/** The page of the global permissions granted to a user group. */
export const userGroupPermissionsPage = adminForm({
  view: userGroupsView,
  readObject: administeredUserGroup,
  async show(visit, { id, tabbed }, refusal) {
    const granted = await readGrants(visit, { usersgroupid: id });
    const children = (
      <>
        <h2>Permissions</h2>
        <p>Global permissions of all members.</p>
        <RefusalText refusal={refusal} />
        <GlobalGrants visitor={visit.visitor} action={partPath(tabbed, part)} granted={granted} />
      </>
    );
    const status = refusal?.status ?? 200;
    return showAdminPage(visit, { section: 'user_groups', tabbed: { of: tabbed, part }, status, children });
  },
  async submit(visit, { id, tabbed }) {
    const msg = await changeGrant(visit, { usersgroupid: id });
    return seeOther(partPath(tabbed, part), noticeCookie(msg));
  },
});
