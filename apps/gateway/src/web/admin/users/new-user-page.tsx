import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm, ofNothing } from '../admin-form.ts';
import { newUser, sentFields } from './user-fields.ts';
import { UserForm } from './user-form.tsx';
import { userPath, usersView } from './user-scope.ts';

/** Creates a user. */
export const newUserPage = adminForm({
  view: usersView,
  of: ofNothing,
  async show(visit, _, refusal) {
    const { visitor, form } = visit;
    const fields = refusal ? sentFields(form) : newUser;
    return showAdminPage(visit, {
      section: 'users',
      heading: 'New user',
      status: refusal?.status ?? 200,
      children: (
        <>
          <RefusalText refusal={refusal} />
          <UserForm visitor={visitor} action="/_admin/users/new" fields={fields} isNew emailRequired />
        </>
      ),
    });
  },
  async take({ worker, form }) {
    const fields = sentFields(form);
    const { user } = await worker.call('create_user', {
      ...fields,
      password: form.get('password') || null,
      ldap_dn: fields.ldap_dn || null,
    });
    return seeOther(userPath(user.user_id), noticeCookie(`The user ${user.username} is created.`));
  },
});
