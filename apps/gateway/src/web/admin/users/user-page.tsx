import { changedFields } from '../../form/changed-fields.ts';
import { RefusalText } from '../../form/fields.tsx';
import { readForm } from '../../form/form-schema.tsx';
import { SchemaForm } from '../../form/schema-form.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAccountPage } from '../../layout/account-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { adminForm } from '../admin-form.ts';
import { StoredSize } from '../stored-size.tsx';
import { userSchema, userValues } from './user-schema.ts';
import { administeredUser, usersView } from './user-scope.ts';

/** The page of a user's profile, active or not, administrator or not. */
export const userPage = adminForm({
  view: usersView,
  readObject: administeredUser,
  async show(visit, { user, account }, refusal) {
    const { visitor, form, worker } = visit;
    const size = await worker.call('view_stored_size', { userid: user.user_id });
    const [schema, current] = [userSchema(user), userValues(user)];
    const values = refusal ? readForm(schema, form, current) : current;
    const children = (
      <>
        <h2>Profile</h2>
        <RefusalText refusal={refusal} />
        <SchemaForm visitor={visitor} action={account.path} schema={schema} values={values} submit="Save" />
        <StoredSize size={size} of="Owned by the user" />
      </>
    );
    return showAccountPage(visit, account, { part: '', status: refusal?.status ?? 200, children });
  },
  async submit({ worker, form }, { user, account }) {
    const current = userValues(user);
    const changed = changedFields(readForm(userSchema(user), form, current), current);
    await worker.call('update_user', { userid: user.user_id, ...changed });
    return seeOther(account.path, noticeCookie('The user is saved.'));
  },
});
