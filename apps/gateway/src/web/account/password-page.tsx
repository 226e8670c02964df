import { InvalidArgsError } from '@trunkline/contracts';
import { NewPasswordField, RefusalText, TextField } from '../form/fields.tsx';
import type { Refusal } from '../form/form-route.ts';
import { noticeCookie } from '../http/notice.ts';
import { accountForm, ownAccount, showAccountPage, type Account } from './account-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import { partPath } from '../layout/tabbed-pages.tsx';
import type { Visit } from '../visit.ts';

const part = 'password';

interface Props {
  readonly visit: Visit;
  readonly account: Account;
  readonly refusal: Refusal | null;
}

function Password({ visit: { visitor }, account, refusal }: Props) {
  const secret = { type: 'password', value: '', required: true } as const;
  return (
    <>
      <h2>Password</h2>
      <RefusalText refusal={refusal} />
      <form method="post" action={partPath(account, part)} class="stacked">
        <CsrfField visitor={visitor} />
        <TextField label="Current password" name="current_password" autocomplete="current-password" {...secret} />
        <NewPasswordField label="New password" name="new_password" required />
        <TextField
          label="Confirm new password"
          name="new_password_confirmation"
          autocomplete="new-password"
          {...secret}
        />
        <p class="hint">Your other sessions are signed out. API keys stay valid.</p>
        <button>Change password</button>
      </form>
    </>
  );
}

/** The page on which visitors change their own passwords. */
export const passwordPage = accountForm(ownAccount, {
  async show(visit, account, refusal) {
    const children = <Password visit={visit} account={account} refusal={refusal} />;
    return showAccountPage(visit, account, { part, status: refusal?.status ?? 200, children });
  },
  async submit({ worker, form, passwordThrottle, visitor }, account) {
    const next = form.get('new_password');
    if (next !== form.get('new_password_confirmation')) throw new InvalidArgsError('The new passwords do not match');
    const args = { current_password: form.get('current_password'), new_password: next };
    await passwordThrottle(visitor.session?.sessionId, () => worker.call('change_password', args));
    return seeOther(
      partPath(account, part),
      noticeCookie('Your password is changed, and your other sessions are signed out.'),
    );
  },
});
