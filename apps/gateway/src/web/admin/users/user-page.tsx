import { changedFields } from '../../form/changed-fields.ts';
import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAccountPage } from '../../layout/account-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm } from '../admin-form.ts';
import { fieldsOf, sentFields } from './user-fields.ts';
import { UserForm } from './user-form.tsx';
import { administeredUser, usersView } from './user-scope.ts';

/** The profile of a user, active or not, administrator or not. */
export const userPage = adminForm({
  view: usersView,
  of: administeredUser,
  async show(visit, { user, account }, refusal) {
    const { visitor, form } = visit;
    const children = (
      <>
        <h2>Profile</h2>
        <RefusalText refusal={refusal} />
        <UserForm
          visitor={visitor}
          action={account.path}
          fields={refusal ? sentFields(form) : fieldsOf(user)}
          isNew={false}
          emailRequired={user.email !== null}
        />
      </>
    );
    return showAccountPage(visit, account, { part: '', status: refusal?.status ?? 200, children });
  },
  async take({ worker, form }, { user, account }) {
    await worker.call('update_user', {
      userid: user.user_id,
      ...changedFields(sentFields(form), fieldsOf(user)),
      password: form.get('password') || null,
    });
    return seeOther(account.path, noticeCookie('The user is saved.'));
  },
});
