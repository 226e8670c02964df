import { RefusalText, TextField } from '../form/fields.tsx';
import type { Refusal } from '../form/rerender-on-error.ts';
import { noticeCookie } from '../http/notice.ts';
import { showAccountPage, type Account } from '../layout/account-frame.tsx';
import { CsrfField } from '../layout/page.tsx';
import { seeOther } from '../layout/show-page.tsx';
import { partPath } from '../layout/tabbed-pages.ts';
import type { Visit } from '../visit.ts';
import { accountForm } from './account-form.ts';
import { ownAccount } from './account-scope.ts';
import { readUser, type AccountUser } from './read-user.ts';
import { SignOutEverywhere } from './sign-out-everywhere.tsx';

interface Props {
  readonly visit: Visit;
  readonly account: Account;
  readonly user: AccountUser;
  readonly refusal: Refusal | null;
}

function Profile({ visit: { visitor, form }, account, user, refusal }: Props) {
  const value = (name: 'firstname' | 'lastname' | 'email') => (refusal && form.get(name)) ?? user[name] ?? '';
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
            <dt>Directory entry</dt>
            <dd>{user.ldap_dn}</dd>
          </>
        )}
      </dl>
      <form method="post" action={account.path} class="stacked">
        <CsrfField visitor={visitor} />
        <TextField label="First name" name="firstname" value={value('firstname')} autocomplete="given-name" />
        <TextField label="Last name" name="lastname" value={value('lastname')} autocomplete="family-name" />
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          value={value('email')}
          required={user.email !== null}
          autocomplete="email"
          hint={
            <>
              Your primary one; <a href={partPath(account, 'emails')}>others</a> can be added.
            </>
          }
        />
        <button>Save</button>
      </form>
      <SignOutEverywhere visitor={visitor} />
    </>
  );
}

/** The visitor's name and address. */
export const profilePage = accountForm(ownAccount, {
  async show(visit, account, refusal) {
    const user = await readUser(visit, account);
    const children = <Profile visit={visit} account={account} user={user} refusal={refusal} />;
    return showAccountPage(visit, account, { part: '', status: refusal?.status ?? 200, children });
  },
  async take(visit, account) {
    const [firstname, lastname, email] = ['firstname', 'lastname', 'email'].map((name) => visit.form.get(name));
    // A user without an address need not give one.
    const sent = email === '' && (await readUser(visit, account)).email === null ? null : email;
    await visit.worker.call('update_account', { firstname, lastname, email: sent });
    return seeOther(account.path, noticeCookie('Your profile is saved.'));
  },
});
