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
const ofEverybody = adminPath('permissions/ips');

/** The page of a user's allowed networks. */
export const userAddressesPage = adminForm({
  view: usersView,
  readObject: administeredUser,
  async show(visit, { user, account }, refusal) {
    // The networks of the user `default` apply to everybody; only their own page asks before it locks the visitor out.
    if (user.username === 'default') return seeOther(ofEverybody);
    const [ofUser, ofDefaultUser] = await Promise.all(
      [user.user_id, 'default'].map((userid) => visit.worker.call('get_ip', { userid })),
    );
    const [ranges, inherited] = [ofUser?.user_ips ?? [], ofDefaultUser?.user_ips ?? []];
    const isOpen = ranges.length === 0 && inherited.length === 0;
    const children = (
      <>
        <h2>IP restrictions</h2>
        <p>
          {isOpen
            ? 'This user can connect from any address. Adding the first network excludes all other addresses.'
            : 'This user can connect only from these networks.'}
        </p>
        <RefusalText refusal={refusal} />
        <h3>Networks of this user</h3>
        <AddressList visit={visit} action={partPath(account, part)} ranges={ranges} refusal={refusal} />
        {inherited.length > 0 && (
          <>
            <h3>
              <a href={ofEverybody}>Networks for everybody</a>
            </h3>
            <Networks ranges={inherited} />
          </>
        )}
      </>
    );
    return showAccountPage(visit, account, { part, status: refusal?.status ?? 200, children });
  },
  async submit(visit, { user, account }) {
    if (user.username === 'default') return seeOther(ofEverybody);
    const msg = await changeAddresses(visit, user.user_id);
    return seeOther(partPath(account, part), noticeCookie(msg));
  },
});
