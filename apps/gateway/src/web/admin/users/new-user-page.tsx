import { RefusalText } from '../../form/fields.tsx';
import { readForm } from '../../form/form-schema.tsx';
import { SchemaForm } from '../../form/schema-form.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm, noObject } from '../admin-form.ts';
import { newUser, newUserSchema as schema } from './user-schema.ts';
import { userPath, usersView } from './user-scope.ts';

/** The page that creates a user. */
export const newUserPage = adminForm({
  view: usersView,
  readObject: noObject,
  async show(visit, _, refusal) {
    const { visitor, form } = visit;
    const values = refusal ? readForm(schema, form, newUser) : newUser;
    return showAdminPage(visit, {
      section: 'users',
      heading: 'New user',
      status: refusal?.status ?? 200,
      children: (
        <>
          <RefusalText refusal={refusal} />
          <SchemaForm
            visitor={visitor}
            action="/_admin/users/new"
            schema={schema}
            values={values}
            submit="Create user"
          />
        </>
      ),
    });
  },
  async submit({ worker, form }) {
    const { password, ldap_dn: dn, ...values } = readForm(schema, form, newUser);
    const { user } = await worker.call('create_user', { ...values, password: password || null, ldap_dn: dn || null });
    return seeOther(userPath(user.user_id), noticeCookie(`The user ${user.username} is created.`));
  },
});
