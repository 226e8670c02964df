import { InvalidArgsError, NotFoundError } from '@trunkline/contracts';
import { RefusalText, TextField } from '../form/fields.tsx';
import type { Refusal } from '../form/form-route.ts';
import { noticeCookie } from '../http/notice.ts';
import {
  accountForm,
  readUser,
  showAccountPage,
  type Account,
  type AccountScope,
  type AccountUser,
} from './account-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import { partPath } from '../layout/tabbed-pages.tsx';
import type { PageRoute } from '../page-route.ts';
import { shownText } from '../render/shown-text.ts';
import type { Visit } from '../visit.ts';

const part = 'emails';

interface Props {
  readonly visit: Visit;
  readonly account: Account;
  readonly user: AccountUser;
  readonly refusal: Refusal | null;
}

function Emails({ visit: { visitor, form }, account, user, refusal }: Props) {
  const action = partPath(account, part);
  return (
    <>
      <h2>E-mail addresses</h2>
      <p>Each address can belong to only one user.</p>
      <RefusalText refusal={refusal} />
      <ul class="plain rows">
        {user.email !== null && (
          <li class="row">
            <span>{shownText(user.email)}</span> <span class="badge">primary</span>
          </li>
        )}
        {user.emails.map((email) => (
          <li class="row">
            <span>{shownText(email)}</span>
            <form method="post" action={action}>
              <CsrfField visitor={visitor} />
              <button class="danger small" name="del_email_id" value={email} aria-label={`Remove ${email}`}>
                Remove
              </button>
            </form>
          </li>
        ))}
      </ul>
      {user.email === null && user.emails.length === 0 && <p>No e-mail addresses yet.</p>}
      <h3>Add an address</h3>
      <form method="post" action={action} class="stacked">
        <CsrfField visitor={visitor} />
        <TextField
          label="E-mail address"
          name="new_email"
          inputmode="email"
          value={(refusal && form.get('new_email')) ?? ''}
          required
          autocomplete="email"
        />
        <button>Add</button>
      </form>
    </>
  );
}

async function change({ worker, form }: Visit, { userid }: Account): Promise<string> {
  const [removed, added] = [form.get('del_email_id'), form.get('new_email')];
  if (removed !== null) {
    const { success, msg } = await worker.call('remove_user_email', { email: removed, userid });
    if (!success) throw new NotFoundError(msg);
    return `${removed} is removed.`;
  }
  if (added === null) throw new InvalidArgsError('Enter an e-mail address');
  await worker.call('add_user_email', { email: added, userid });
  return `${added} is added.`;
}

/** Returns the page of a user's e-mail addresses, with forms that add and remove addresses. */
export function emailsPage(scope: AccountScope): PageRoute {
  return accountForm(scope, {
    async show(visit, account, refusal) {
      const user = await readUser(visit, account);
      const children = <Emails visit={visit} account={account} user={user} refusal={refusal} />;
      return showAccountPage(visit, account, { part, status: refusal?.status ?? 200, children });
    },
    async submit(visit, account) {
      const done = await change(visit, account);
      return seeOther(partPath(account, part), noticeCookie(done));
    },
  });
}
