import { InvalidArgsError, type ListedUser } from '@trunkline/contracts';
import { RefusalText, TextField } from '../../form/fields.tsx';
import { FilterForm } from '../../form/filter-form.tsx';
import { requireSuccess } from '../../form/require-success.ts';
import { noticeCookie } from '../../http/notice.ts';
import { showAdminPage } from '../../layout/admin-frame.tsx';
import { CsrfField } from '../../layout/page.tsx';
import { seeOther } from '../../layout/show-page.tsx';
import { partPath } from '../../layout/tabbed-pages.ts';
import { shownText } from '../../render/text/shown-text.ts';
import { Pager } from '../../repository/list/pager.tsx';
import type { Visit } from '../../visit.ts';
import type { Visitor } from '../../visitor/visitor.ts';
import { adminForm } from '../admin-form.ts';
import { filterQuery, listQuery } from '../list-query.ts';
import { userPath } from '../users/user-scope.ts';
import { administeredUserGroup, userGroupsView } from './user-group-scope.ts';

const part = 'members';

function MemberRow({ visitor, action, user }: { visitor: Visitor; action: string; user: ListedUser }) {
  const { user_id: id, username, firstname, lastname, active } = user;
  return (
    <li class="row">
      <a href={userPath(id)}>{username}</a>
      <span class="soft">{shownText([firstname, lastname].filter(Boolean).join(' '))}</span>
      {!active && <span class="badge warn">inactive</span>}
      <form method="post" action={action}>
        <CsrfField visitor={visitor} />
        <button class="danger small" name="remove" value={String(id)}>
          Remove<span class="visually-hidden"> {username}</span>
        </button>
      </form>
    </li>
  );
}

async function change({ worker, form }: Visit, usersgroupid: number): Promise<string> {
  const removed = form.get('remove');
  if (removed !== null) {
    requireSuccess(await worker.call('remove_user_from_user_group', { usersgroupid, userid: removed }));
    return 'The user is no longer a member.';
  }
  const added = form.get('member')?.trim();
  if (!added) throw new InvalidArgsError('Enter a username');
  requireSuccess(await worker.call('add_user_to_user_group', { usersgroupid, userid: added }));
  return `${added} is now a member.`;
}

/** The page of a user group's members, with forms that add and remove members. */
export const userGroupMembersPage = adminForm({
  view: userGroupsView,
  readObject: administeredUserGroup,
  async show(visit, { id, tabbed }, refusal) {
    const { visitor, form, worker } = visit;
    const { filter, cursor } = listQuery(visit);
    const { users, next } = await worker.call('browse_users', { usersgroupid: id, filter, cursor });
    const action = partPath(tabbed, part);
    const children = (
      <>
        <h2>Members</h2>
        <RefusalText refusal={refusal} />
        <form method="post" action={action} class="inline">
          <CsrfField visitor={visitor} />
          <TextField label="Username" name="member" value={(refusal && form.get('member')) ?? ''} required />
          <button>Add member</button>
        </form>
        <FilterForm label="Name or e-mail address contains" path={action} filter={filter} />
        {users.length === 0 && <p class="soft">{filter === null ? 'No members yet.' : 'No members found.'}</p>}
        <ul class="plain rows">
          {users.map((user) => (
            <MemberRow visitor={visitor} action={action} user={user} />
          ))}
        </ul>
        <Pager cursor={cursor} next={next} path={action} query={filterQuery(filter)} />
      </>
    );
    const status = refusal?.status ?? 200;
    return showAdminPage(visit, { section: 'user_groups', tabbed: { of: tabbed, part }, status, children });
  },
  async submit(visit, { id, tabbed }) {
    const msg = await change(visit, id);
    return seeOther(partPath(tabbed, part), noticeCookie(msg));
  },
});
