import { RefusalText } from '../../form/fields.tsx';
import { noticeCookie } from '../../http/notice.ts';
import { showAccountPage } from '../../account/account-frame.tsx';
import { adminPath } from '../../layout/admin-frame.tsx';
import { seeOther } from '../../layout/page.tsx';
import { partPath } from '../../layout/tabbed-pages.tsx';
import { AddressList, changeAddresses, Networks } from '../address-list.tsx';
import { adminForm } from '../admin-form.ts';
import { users } from './user-pages.tsx';

const part = 'ips';
const ofEverybody = adminPath('permissions/ips');

/** The page of a user's allowed networks. */
export const userAddressesPage = adminForm({
  pageName: users.pageName,
  readObject: users.readObject,
  async show(visit, { user, tabbed }, refusal) {
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
        <AddressList visit={visit} action={partPath(tabbed, part)} ranges={ranges} refusal={refusal} />
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
    return showAccountPage(visit, tabbed, { part, status: refusal?.status ?? 200, children });
  },
  async submit(visit, { user, tabbed }) {
    if (user.username === 'default') return seeOther(ofEverybody);
    const msg = await changeAddresses(visit, user.user_id);
    return seeOther(partPath(tabbed, part), noticeCookie(msg));
  },
});
