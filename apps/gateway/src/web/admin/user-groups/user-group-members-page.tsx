import { InvalidArgsError, type ListedUser } from '@trunkline/contracts';
import { RefusalText, TextField } from '../../form/fields.tsx';
import { requireSuccess } from '../../form/form-route.ts';
import type { Visitor } from '../../identify.ts';
import { FilterForm, filterQuery, listQuery, Pager } from '../../layout/list-controls.tsx';
import { CsrfField } from '../../layout/page.tsx';
import { partPath } from '../../layout/tabbed-pages.tsx';
import { shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { partPage } from '../object-part-pages.tsx';
import { userPath } from '../users/user-pages.tsx';
import { userGroups } from './user-group-pages.tsx';

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
export const userGroupMembersPage = partPage(userGroups, {
  part,
  async show(visit, { id, tabbed }, refusal) {
    const { visitor, form, worker } = visit;
    const { filter, cursor } = listQuery(visit);
    const { users, next } = await worker.call('browse_users', { usersgroupid: id, filter, cursor });
    const action = partPath(tabbed, part);
    return (
      <>
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
  },
  submit: (visit, { id }) => change(visit, id),
});
