import { changedFields, readForm, SchemaForm, text } from '../form/form-schema.tsx';
import { RefusalText } from '../form/fields.tsx';
import type { Refusal } from '../form/form-route.ts';
import { noticeCookie } from '../http/notice.ts';
import {
  accountForm,
  ownAccount,
  readUser,
  showAccountPage,
  type Account,
  type AccountUser,
} from './account-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import { partPath } from '../layout/tabbed-pages.tsx';
import type { Visit } from '../visit.ts';
import type { Visitor } from '../identify.ts';

/** Renders the form that ends every session of the visitor, the current one included. */
function SignOutEverywhere({ visitor }: { visitor: Visitor }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p>This ends all your sessions, including this one. API keys stay valid.</p>
      <form method="post" action="/_admin/logout">
        <CsrfField visitor={visitor} />
        <button class="plain" name="everywhere" value="true">
          Sign out everywhere
        </button>
      </form>
    </section>
  );
}

interface Props {
  readonly visit: Visit;
  readonly account: Account;
  readonly user: AccountUser;
  readonly refusal: Refusal | null;
}

function profileSchema(account: Account, user: AccountUser) {
  const emailHint = (
    <>
      Your primary address. You can also add <a href={partPath(account, 'emails')}>other addresses</a>.
    </>
  );
  return {
    firstname: text({ label: 'First name', autocomplete: 'given-name' }),
    lastname: text({ label: 'Last name', autocomplete: 'family-name' }),
    email: text({
      label: 'E-mail address',
      inputmode: 'email',
      required: user.email !== null,
      autocomplete: 'email',
      hint: emailHint,
    }),
  };
}

function currentValues({ firstname, lastname, email }: AccountUser) {
  return { firstname: firstname ?? '', lastname: lastname ?? '', email: email ?? '' };
}

function Profile({ visit: { visitor, form }, account, user, refusal }: Props) {
  const [schema, current] = [profileSchema(account, user), currentValues(user)];
  const values = refusal ? readForm(schema, form, current) : current;
  return (
    <>
      <h2>Profile</h2>
      <RefusalText refusal={refusal} />
      <dl class="facts">
        <dt>Username</dt>
        <dd>
          {user.username} {user.admin && <span class="badge">administrator</span>}
        </dd>
        <dt>User id</dt>
        <dd>{user.user_id}</dd>
        {user.ldap_dn !== null && (
          <>
            <dt>LDAP entry</dt>
            <dd>{user.ldap_dn}</dd>
          </>
        )}
      </dl>
      <SchemaForm visitor={visitor} action={account.path} schema={schema} values={values} submit="Save" />
      <SignOutEverywhere visitor={visitor} />
    </>
  );
}

/** The page of the visitor's name and e-mail address. */
export const profilePage = accountForm(ownAccount, {
  async show(visit, account, refusal) {
    const user = await readUser(visit, account);
    const children = <Profile visit={visit} account={account} user={user} refusal={refusal} />;
    return showAccountPage(visit, account, { part: '', status: refusal?.status ?? 200, children });
  },
  async submit(visit, account) {
    const user = await readUser(visit, account);
    const current = currentValues(user);
    const changed = changedFields(readForm(profileSchema(account, user), visit.form, current), current);
    await visit.worker.call('update_account', changed);
    return seeOther(account.path, noticeCookie('Your profile is saved.'));
  },
});
