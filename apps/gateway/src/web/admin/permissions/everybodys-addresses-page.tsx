import { ConflictError } from '@trunkline/contracts';
import { CheckField, RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import { CsrfField } from '../../layout/page.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import type { Visit } from '../../visit.ts';
import { AddressList } from '../addresses/address-list.tsx';
import { changeAddresses } from '../addresses/change-addresses.ts';
import { wouldLockOutCaller } from '../addresses/would-lock-out-caller.ts';
import { adminForm } from '../admin-form.ts';

const userid = 'default';
const path = adminPath('permissions/ips');

async function readRanges({ worker }: Visit) {
  return (await worker.call('get_ip', { userid })).user_ips;
}

type Ranges = Awaited<ReturnType<typeof readRanges>>;

/** Whether the form needs a confirmation, because the networks would exclude the visitor's own address. */
function isUnconfirmed({ isPost, form, ip }: Visit, ranges: Ranges): boolean {
  const networks = ranges.map(({ ip_addr: network }) => network);
  return isPost && !form.has('confirmed') && wouldLockOutCaller(form, networks, ip);
}

/** The second step: the same form with a box to tick. */
function ConfirmForm({ visit: { visitor, form, ip } }: { visit: Visit }) {
  const [name, value] = ['del_ip_id', 'new_ip']
    .map((one) => [one, form.get(one)] as const)
    .find(([, sent]) => sent !== null) ?? ['', ''];
  return (
    <form method="post" action={path} class="stacked">
      <CsrfField visitor={visitor} />
      <input type="hidden" name={name} value={value ?? ''} />
      <p class="warning">
        {name === 'new_ip' ? 'With' : 'Without'} <strong>{value}</strong> your own address, <strong>{ip}</strong>, is in
        none of these networks any more.
      </p>
      <CheckField label="Yes, leave out my address" name="confirmed" checked={false} required />
      <button class="danger">{name === 'new_ip' ? 'Add' : 'Remove'} all the same</button>
    </form>
  );
}

/** The networks that apply to every user. */
export const everybodysAddressesPage = adminForm({
  view: 'PermissionsController:__before__',
  of: readRanges,
  async show(visit, ranges, refusal) {
    const children = (
      <>
        <p>
          {ranges.length === 0
            ? 'Everybody may call from anywhere.'
            : 'Everybody may call from these networks, and users from those of their own.'}{' '}
          Your address is <strong>{visit.ip}</strong>.
        </p>
        <p class="warning">
          This holds for every user, for pages, programs and repositories alike: a wrong network locks everybody out.
        </p>
        <RefusalText refusal={refusal} />
        {isUnconfirmed(visit, ranges) && <ConfirmForm visit={visit} />}
        <h2>Networks</h2>
        <AddressList visit={visit} action={path} ranges={ranges} refusal={refusal} />
      </>
    );
    return showAdminPage(visit, { section: 'permissions/ips', status: refusal?.status ?? 200, children });
  },
  async take(visit, ranges) {
    if (isUnconfirmed(visit, ranges)) throw new ConflictError('Nothing was changed: confirm it first');
    const msg = await changeAddresses(visit, userid);
    return seeOther(path, noticeCookie(msg));
  },
});
