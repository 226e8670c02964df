import { InvalidArgsError, NotFoundError, type ApiKeyRecord } from '@trunkline/contracts';
import { RefusalText, SelectField, TextField } from '../form/fields.tsx';
import type { Refusal } from '../form/rerender-on-error.ts';
import { noticeCookie } from '../http/notice.ts';
import { showAccountPage, type Account } from '../layout/account-frame.tsx';
import { CsrfField } from '../layout/page.tsx';
import { seeOther } from '../layout/show-page.tsx';
import { partPath } from '../layout/tabbed-pages.ts';
import type { PageRoute } from '../page-route.ts';
import { Pager } from '../repository/list/pager.tsx';
import type { Visit } from '../visit.ts';
import { accountForm } from './account-form.ts';
import type { AccountScope } from './account-scope.ts';
import { ApiKeyRow } from './api-key-row.tsx';

const part = 'api_keys';
/** Keys on one page. */
const limit = 100;

/** Labels of the lifetimes to choose from, by minutes; -1 is a lifetime without end. */
const lifetimes = {
  '5': 'in 5 minutes',
  '60': 'in 1 hour',
  '1440': 'in 1 day',
  '43200': 'in 30 days',
  '-1': 'never',
} as const;

interface Props {
  readonly visit: Visit;
  readonly account: Account;
  readonly keys: readonly ApiKeyRecord[];
  readonly refusal: Refusal | null;
}

function ApiKeys({ visit: { visitor, form, query }, account, keys, refusal }: Props) {
  const next = keys.length === limit ? String(keys.at(-1)?.api_key_id) : null;
  const action = partPath(account, part);
  const entered = (name: string, fallback: string) => (refusal && form.get(name)) ?? fallback;
  return (
    <>
      <h2>API keys</h2>
      <p>
        Programs authenticate with one of these keys instead of a password. Each key has all permissions of the user:
        keep it secret. <a href="/_admin/api-docs">API documentation</a>
      </p>
      <RefusalText refusal={refusal} />
      <ul class="plain rows">
        {keys.map((key) => (
          <li>
            <ApiKeyRow visitor={visitor} action={action} apiKey={key} />
          </li>
        ))}
      </ul>
      <Pager cursor={query.get('cursor') || null} next={next} path={action} />
      <h3>Add a key</h3>
      <form method="post" action={action} class="stacked">
        <CsrfField visitor={visitor} />
        <SelectField label="Expires" name="lifetime" value={entered('lifetime', '-1')} choices={lifetimes} />
        <TextField
          label="Description"
          name="description"
          value={entered('description', '')}
          maxlength={1_000}
          hint="What the key is used for, for example the name of a program."
        />
        <button>Add key</button>
      </form>
    </>
  );
}

/** Finds a key of a user by its value, page after page. */
async function findKey(worker: Visit['worker'], userid: Account['userid'], value: string) {
  for (let cursor: number | null = null; ;) {
    const keys: readonly ApiKeyRecord[] = await worker.call('get_api_keys', { userid, limit: 10_000, cursor });
    const key = keys.find((one) => one.api_key === value);
    cursor = keys.at(-1)?.api_key_id ?? null;
    if (key || cursor === null) return key;
  }
}

async function change({ worker, form }: Visit, { userid }: Account): Promise<string> {
  if (form.has('del_api_key_builtin')) {
    await worker.call('reset_api_key', { userid });
    return 'The built-in key was reset. The old key is no longer accepted.';
  }
  const revoked = form.get('del_api_key');
  if (revoked !== null) {
    const key = await findKey(worker, userid, revoked);
    if (!key) throw new NotFoundError('This key no longer exists');
    const { success, msg } = await worker.call('revoke_api_key', { api_key_id: key.api_key_id, userid });
    if (!success) throw new NotFoundError(msg);
    return 'The key is revoked.';
  }
  const [lifetime, description] = [form.get('lifetime'), form.get('description')];
  if (lifetime === null) throw new InvalidArgsError('Choose when the key expires');
  await worker.call('create_api_key', { lifetime, description, userid });
  return 'The key is added.';
}

/** Returns the page of a user's API keys, with forms that add, reset and revoke keys. */
export function apiKeysPage(scope: AccountScope): PageRoute {
  return accountForm(scope, {
    async show(visit, account, refusal) {
      const cursor = visit.query.get('cursor') || null;
      const keys = await visit.worker.call('get_api_keys', { userid: account.userid, limit, cursor });
      const children = <ApiKeys visit={visit} account={account} keys={keys} refusal={refusal} />;
      return showAccountPage(visit, account, { part, status: refusal?.status ?? 200, children });
    },
    async submit(visit, account) {
      const done = await change(visit, account);
      return seeOther(partPath(account, part), noticeCookie(done));
    },
  });
}
