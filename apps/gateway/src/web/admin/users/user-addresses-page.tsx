import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAccountPage } from '../../layout/account-frame.tsx';
import { adminPath } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { partPath } from '../../layout/tabbed-pages.ts';
import { AddressList, Networks } from '../addresses/address-list.tsx';
import { changeAddresses } from '../addresses/change-addresses.ts';
import { adminForm } from '../admin-form.ts';
import { administeredUser, usersView } from './user-scope.ts';

const part = 'ips';

/** The allowed networks of a user. */
export const userAddressesPage = adminForm({
  view: usersView,
  of: administeredUser,
  async show(visit, { user, account }, refusal) {
    const [own, everybodys] = await Promise.all(
      [user.user_id, 'default'].map((userid) => visit.worker.call('get_ip', { userid })),
    );
    const [ranges, inherited] = [own?.user_ips ?? [], everybodys?.user_ips ?? []];
    const isOpen = ranges.length === 0 && inherited.length === 0;
    const children = (
      <>
        <h2>IP restrictions</h2>
        <p>
          {isOpen
            ? 'This user may call from anywhere. The first network that is added shuts out all other addresses.'
            : 'This user may call from these networks only.'}
        </p>
        <RefusalText refusal={refusal} />
        <h3>Of this user</h3>
        <AddressList visit={visit} action={partPath(account, part)} ranges={ranges} refusal={refusal} />
        {inherited.length > 0 && (
          <>
            <h3>
              <a href={adminPath('permissions/ips')}>For everybody</a>
            </h3>
            <Networks ranges={inherited} />
          </>
        )}
      </>
    );
    return showAccountPage(visit, account, { part, status: refusal?.status ?? 200, children });
  },
  async take(visit, { user, account }) {
    const msg = await changeAddresses(visit, user.user_id);
    return seeOther(partPath(account, part), noticeCookie(msg));
  },
});
