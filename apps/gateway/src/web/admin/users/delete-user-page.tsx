import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAccountPage } from '../../layout/account-frame.tsx';
import { adminPath } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { partPath } from '../../layout/tabbed-pages.ts';
import { adminForm } from '../admin-form.ts';
import { DeleteForm, requireConfirmed } from '../delete-form.tsx';
import { administeredUser, usersView } from './user-scope.ts';

const part = 'advanced';

/** The page that deletes a user after a confirmation. */
export const deleteUserPage = adminForm({
  view: usersView,
  readObject: administeredUser,
  async show(visit, { user, account }, refusal) {
    const { username } = user;
    const children = (
      <>
        <h2>Delete</h2>
        <RefusalText refusal={refusal} />
        <DeleteForm visitor={visit.visitor} action={partPath(account, part)} kind="user" name={username}>
          This permanently deletes <strong>{username}</strong> with all API keys, e-mail addresses and permissions. A
          user who owns repositories or groups cannot be deleted. To block a user without deleting the account, make the
          user inactive.
        </DeleteForm>
      </>
    );
    return showAccountPage(visit, account, { part, status: refusal?.status ?? 200, children });
  },
  async submit({ worker, form }, { user }) {
    requireConfirmed(form);
    await worker.call('delete_user', { userid: user.user_id });
    return seeOther(adminPath('users'), noticeCookie(`The user ${user.username} is deleted.`));
  },
});
