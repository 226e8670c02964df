import { NotFoundError, type ApiKeyRecord } from '@trunkline/contracts';
import { RefusalText } from '../form/fields.tsx';
import type { Refusal } from '../form/rerender-on-error.ts';
import { noticeCookie } from '../http/notice.ts';
import { showAccountPage, type Account } from '../layout/account-frame.tsx';
import { seeOther } from '../layout/show-page.tsx';
import { partPath } from '../layout/tabbed-pages.ts';
import type { PageRoute } from '../page-route.ts';
import { Pager } from '../repository/list/pager.tsx';
import type { Visit } from '../visit.ts';
import { accountForm } from './account-form.ts';
import type { AccountScope } from './account-scope.ts';
import { ApiKeyRow } from './api-key-row.tsx';
import { NewKeyForm, readNewKey } from './new-key-form.tsx';

const part = 'api_keys';
/** Keys on one page. */
const limit = 100;

interface Props {
  readonly visit: Visit;
  readonly account: Account;
  readonly keys: readonly ApiKeyRecord[];
  readonly refusal: Refusal | null;
}

function ApiKeys({ visit: { visitor, form, query }, account, keys, refusal }: Props) {
  const next = keys.length === limit ? String(keys.at(-1)?.api_key_id) : null;
  const action = partPath(account, part);
  return (
    <>
      <h2>API keys</h2>
      <p>
        Programs authenticate with one of these keys instead of a password. A key has all permissions of the user,
        unless it is limited: keep it secret. <a href="/_admin/api-docs">API documentation</a>
      </p>
      <p>
        Clients of Git and Mercurial take a key as the password, with the user’s name or <code>api-key</code> as the
        username. For programs that only clone or push, such as a build server, add a key that is limited to that.
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
      <NewKeyForm visitor={visitor} action={action} entered={refusal ? form : null} />
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
  await worker.call('create_api_key', { ...readNewKey(form), userid });
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
