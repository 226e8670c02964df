import { InvalidArgsError, type ListedUserGroup } from '@trunkline/contracts';
import { RefusalText, TextField } from '../../form/fields.tsx';
import { requireSuccess } from '../../form/form-route.ts';
import type { Visitor } from '../../identify.ts';
import { listQuery, Pager } from '../../layout/list-controls.tsx';
import { CsrfField } from '../../layout/page.tsx';
import { partPath } from '../../layout/tabbed-pages.tsx';
import type { Visit } from '../../visit.ts';
import { partPage } from '../object-part-pages.tsx';
import { userGroupPath } from '../user-groups/user-group-pages.tsx';
import { users } from './user-pages.tsx';

const part = 'groups';

interface RowProps {
  readonly visitor: Visitor;
  readonly action: string;
  readonly group: ListedUserGroup;
}

function GroupRow({ visitor, action, group: { users_group_id: id, group_name: name, active } }: RowProps) {
  return (
    <li class="row">
      <a href={userGroupPath(id)}>{name}</a> {!active && <span class="badge warn">inactive</span>}
      <form method="post" action={action}>
        <CsrfField visitor={visitor} />
        <button class="danger small" name="remove" value={String(id)}>
          Remove<span class="visually-hidden"> from {name}</span>
        </button>
      </form>
    </li>
  );
}

async function change({ worker, form }: Visit, userid: number): Promise<string> {
  const removed = form.get('remove');
  if (removed !== null) {
    requireSuccess(await worker.call('remove_user_from_user_group', { userid, usersgroupid: removed }));
    return 'The user is no longer a member.';
  }
  const added = form.get('group')?.trim();
  if (!added) throw new InvalidArgsError('Enter the name of a user group');
  requireSuccess(await worker.call('add_user_to_user_group', { userid, usersgroupid: added }));
  return `The user is now a member of ${added}.`;
}

/** The page of the user groups that a user is a member of, with forms that add and remove the user. */
export const userGroupsOfUserPage = partPage(users, {
  part,
  async show(visit, { user, tabbed }, refusal) {
    const { visitor, form } = visit;
    const { cursor } = listQuery(visit);
    const { groups, next } = await visit.worker.call('browse_user_groups', { userid: user.user_id, cursor });
    const action = partPath(tabbed, part);
    return (
      <>
        <RefusalText refusal={refusal} />
        {groups.length === 0 && <p class="soft">This user is not a member of any user group.</p>}
        <ul class="plain rows">
          {groups.map((group) => (
            <GroupRow visitor={visitor} action={action} group={group} />
          ))}
        </ul>
        <Pager cursor={cursor} next={next} path={action} />
        <h3>Add to a user group</h3>
        <form method="post" action={action} class="stacked">
          <CsrfField visitor={visitor} />
          <TextField label="User group" name="group" value={(refusal && form.get('group')) ?? ''} required />
          <button>Add</button>
        </form>
      </>
    );
  },
  submit: (visit, { user }) => change(visit, user.user_id),
});
