import { InvalidArgsError, keyRepositoriesMax, NotFoundError, type ApiKeyRecord } from '@trunkline/contracts';
import { AreaField, RefusalText, SelectField, TextField } from '../form/fields.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import type { Visitor } from '../identify.ts';
import type { Refusal } from '../form/form-route.ts';
import { noticeCookie } from '../http/notice.ts';
import { accountForm, showAccountPage, type Account, type AccountScope } from './account-frame.tsx';
import { partPath } from '../layout/tabbed-pages.tsx';
import type { PageRoute } from '../page-route.ts';
import { Pager } from '../layout/list-controls.tsx';
import type { Visit } from '../visit.ts';
import { ApiKeyRow } from './api-key-row.tsx';

/** Labels of the lifetimes to choose from, by minutes; -1 is a lifetime without end. */
const lifetimes = {
  '5': 'in 5 minutes',
  '60': 'in 1 hour',
  '1440': 'in 1 day',
  '43200': 'in 30 days',
  '-1': 'never',
} as const;

const limits = {
  '': 'everything the user may do',
  fetch: 'clone and fetch only',
  push: 'clone, fetch and push only',
} as const;

interface NewKeyFormProps {
  readonly visitor: Visitor;
  readonly action: string;
  /** The form that was refused, whose values are shown again; null for an empty form. */
  readonly entered: URLSearchParams | null;
}

/** Renders the form for a further key. */
function NewKeyForm({ visitor, action, entered }: NewKeyFormProps) {
  const value = (name: string, fallback = '') => entered?.get(name) ?? fallback;
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      <SelectField label="Expires" name="lifetime" value={value('lifetime', '-1')} choices={lifetimes} />
      <SelectField label="Allows" name="limited_to" value={value('limited_to')} choices={limits} />
      <AreaField
        label="Repositories"
        name="repositories"
        value={value('repositories')}
        hint={`For a limited key: names of at most ${keyRepositoriesMax} repositories, one on each line. Leave it empty for all.`}
      />
      <TextField
        label="Description"
        name="description"
        value={value('description')}
        maxlength={1_000}
        hint="What the key is used for, for example the name of a program."
      />
      <button>Add key</button>
    </form>
  );
}

/** Returns the arguments of `create_api_key` that a sent form gives. */
function readNewKey(form: URLSearchParams) {
  const lifetime = form.get('lifetime');
  if (lifetime === null) throw new InvalidArgsError('Choose when the key expires');
  const named = (form.get('repositories') ?? '').split(/[\n,]/).map((name) => name.trim());
  const repositories = named.filter((name) => name !== '');
  return {
    lifetime,
    description: form.get('description'),
    limited_to: form.get('limited_to') || null,
    repositories: repositories.length === 0 ? null : repositories,
  };
}

const part = 'api_keys';
/** Keys on one page. */
const limit = 100;

interface ApiKeysPageProps {
  readonly visit: Visit;
  readonly account: Account;
  readonly keys: readonly ApiKeyRecord[];
  readonly refusal: Refusal | null;
}

function ApiKeys({ visit: { visitor, form, query }, account, keys, refusal }: ApiKeysPageProps) {
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
