import { PermissionOverview } from '../../account/permissions-page.tsx';
import { readUser } from '../../account/read-user.ts';
import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAccountPage } from '../../layout/account-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { partPath } from '../../layout/tabbed-pages.ts';
import { adminForm } from '../admin-form.ts';
import { changeGrant, GlobalGrants, readGrants } from '../global-grants.tsx';
import { administeredUser, usersView } from './user-scope.ts';

const part = 'perms';

/** The page of a user's effective permissions, and of the global permissions granted to that user. */
export const userPermissionsPage = adminForm({
  view: usersView,
  readObject: administeredUser,
  async show(visit, { account, user }, refusal) {
    const [rights, granted] = await Promise.all([
      readUser(visit, account),
      readGrants(visit, { userid: user.user_id }),
    ]);
    const children = (
      <>
        <h2>Permissions</h2>
        <RefusalText refusal={refusal} />
        <h3>Granted to this user</h3>
        <GlobalGrants visitor={visit.visitor} action={partPath(account, part)} granted={granted} />
        <PermissionOverview visit={visit} account={account} user={rights} />
      </>
    );
    return showAccountPage(visit, account, { part, status: refusal?.status ?? 200, children });
  },
  async submit(visit, { account, user }) {
    const msg = await changeGrant(visit, { userid: user.user_id });
    return seeOther(partPath(account, part), noticeCookie(msg));
  },
});
