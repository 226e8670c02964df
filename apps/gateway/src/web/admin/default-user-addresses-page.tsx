import { addressAllowed } from '@trunkline/runtime';
import { ConflictError } from '@trunkline/contracts';
import { CheckField, RefusalText } from '../form/fields.tsx';
import { noticeCookie } from '../http/notice.ts';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import { CsrfField, seeOther } from '../layout/page.tsx';
import type { Visit } from '../visit.ts';
import { AddressList, changeAddresses } from './address-list.tsx';
import { adminForm } from './admin-form.ts';

/**
 * Returns whether the networks that a form would leave exclude the address; an empty list excludes none. Networks of
 * other lists, such as those of the caller's own account, are not considered.
 */
export function wouldLockOutCaller(form: URLSearchParams, networks: readonly string[], address: string): boolean {
  const [removed, added] = [form.get('del_ip_id'), form.get('new_ip')?.trim()];
  const remaining = networks.filter((network) => network !== removed);
  return !addressAllowed(address, added && removed === null ? [...remaining, added] : remaining);
}

const userid = 'default';
const path = adminPath('permissions/ips');

async function readRanges({ worker }: Visit) {
  return (await worker.call('get_ip', { userid })).user_ips;
}

type Ranges = Awaited<ReturnType<typeof readRanges>>;

/**
 * Returns whether the form still needs a confirmation, because its networks would exclude the visitor's own address.
 */
function isUnconfirmed({ isPost, form, ip }: Visit, ranges: Ranges): boolean {
  const networks = ranges.map(({ ip_addr: network }) => network);
  return isPost && !form.has('confirmed') && wouldLockOutCaller(form, networks, ip);
}

/** Renders the second step: the same form with a box that confirms the change. */
function ConfirmForm({ visit: { visitor, form, ip } }: { visit: Visit }) {
  const [name, value] = ['del_ip_id', 'new_ip']
    .map((one) => [one, form.get(one)] as const)
    .find(([, sent]) => sent !== null) ?? ['', ''];
  return (
    <form method="post" action={path} class="stacked">
      <CsrfField visitor={visitor} />
      <input type="hidden" name={name} value={value ?? ''} />
      <p class="warning">
        {name === 'new_ip' ? 'Adding' : 'Removing'} <strong>{value}</strong> excludes your own address,{' '}
        <strong>{ip}</strong>.
      </p>
      <CheckField label="Yes, exclude my address" name="confirmed" checked={false} required />
      <button class="danger">{name === 'new_ip' ? 'Add' : 'Remove'} anyway</button>
    </form>
  );
}

/** The page of the networks that apply to every user. */
export const defaultUserAddressesPage = adminForm({
  pageName: 'PermissionsController:__before__',
  readObject: readRanges,
  async show(visit, ranges, refusal) {
    const children = (
      <>
        <p>
          {ranges.length === 0
            ? 'Users can connect from any address.'
            : 'Users can connect from these networks and from the networks of their own accounts.'}{' '}
          Your address is <strong>{visit.ip}</strong>.
        </p>
        <p class="warning">
          These restrictions apply to all users, on pages, in the API and for repositories. A wrong network locks
          everybody out.
        </p>
        <RefusalText refusal={refusal} />
        {isUnconfirmed(visit, ranges) && <ConfirmForm visit={visit} />}
        <h2>Networks</h2>
        <AddressList visit={visit} action={path} ranges={ranges} refusal={refusal} />
      </>
    );
    return showAdminPage(visit, { section: 'permissions/ips', status: refusal?.status ?? 200, children });
  },
  async submit(visit, ranges) {
    if (isUnconfirmed(visit, ranges)) throw new ConflictError('Nothing was changed: confirm the change first');
    const msg = await changeAddresses(visit, userid);
    return seeOther(path, noticeCookie(msg));
  },
});
